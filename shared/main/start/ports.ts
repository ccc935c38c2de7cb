// The ports of `npm start` on this machine. They are the same in every run, so that kubeconfigs and commands stay valid.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Terminal } from './terminal.ts'

export const loopback = '127.0.0.1'

const names = ['controlPlane', 'runtime', 'registry', 'events', 'garden', 'sidecar', 'console'] as const

type StartPorts = Readonly<Record<(typeof names)[number], number>>

export const portCount = names.length

/** The first of the seven default ports. */
export const firstPort = 7440

/** `given`: the first of seven ports. 0: free ports. undefined: the seven default ports, or free ports if a default port is in use. */
export const startPorts = async (given: number | undefined, { line }: Pick<Terminal, 'line'>): Promise<StartPorts> => {
  const first = given ?? firstPort
  const wanted = names.map((_, index) => (first === 0 ? 0 : first + index))
  const open = await Promise.all(wanted.map(portIfFree))
  const taken = wanted.find((_, index) => open[index] === undefined)
  if (taken === undefined) return byName(open)
  if (given !== undefined) throw new Error(takenText(taken, given))
  line(
    'ports',
    `${loopback}:${taken} is in use, so this process uses free ports instead of ${first} to ${wanted.at(-1)}`,
  )
  return byName(await Promise.all(names.map(() => portIfFree(0))))
}

const takenText = (port: number, first: number): string =>
  `port ${port} of ${loopback}, one of the ${portCount} ports from --port ${first} on, is in use: stop the program that listens there, choose other ports, or use --port 0 for free ports`

const byName = (ports: readonly (number | undefined)[]): StartPorts =>
  Object.fromEntries(names.map((name, index) => [name, ports[index] ?? 0])) as StartPorts

/** The port, or a free port for 0. undefined: the port is in use. The port is not opened yet. */
const portIfFree = async (wanted: number): Promise<number | undefined> => {
  const server = createServer()
  try {
    await once(server.listen(wanted, loopback), 'listening')
  } catch {
    return undefined
  }
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
