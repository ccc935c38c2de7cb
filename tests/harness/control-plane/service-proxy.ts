// How a real API server reaches Services on a machine without a Pod network. It asks this proxy for every address of its cluster, and the test names
// the local port behind the address. Addresses without a port are refused.
//
//   const proxy = await serviceProxy(dir, async address => (address === '10.96.7.7:443' ? 18443 : undefined))
//   args: [`--egress-selector-config-file=${proxy.file}`]
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Client } from '../../../shared/kube/client-types.ts'

export type ServiceProxy = {
  /** The configuration file for the API server, which names the proxy. */
  readonly file: string
  close(): void
}

/** `garden/gardener-resource-manager:443` for the address of that Service. An address of no Service stays as it is. */
export const serviceAt = async (client: Pick<Client, 'list'>, address: string): Promise<string> => {
  const [host = '', port = ''] = address.split(/:(?=\d+$)/)
  const services = await client.list({ apiVersion: 'v1', kind: 'Service' })
  const found = services.find(({ spec }) => (spec as { clusterIP?: string }).clusterIP === host)
  return found ? `${found.metadata.namespace}/${found.metadata.name}:${port}` : address
}

type PortOf = (address: string) => Promise<number | undefined>

/** The socket and the file of the proxy are in `dir`. `portOf` gets `host:port` as the API server resolved it. */
export async function serviceProxy(dir: string, portOf: PortOf): Promise<ServiceProxy> {
  const open = new Set<Socket>()
  const server = createServer()
  server.on('connect', (request, near: Socket) => {
    near.on('error', () => near.destroy())
    open.add(near)
    const refused = () => near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    portOf(request.url ?? '').then(port => (port === undefined ? refused() : joined(near, port)), refused)
  })
  const [socket, file] = [join(dir, 'services.sock'), join(dir, 'egress.yaml')]
  server.listen(socket)
  await once(server, 'listening')
  await writeFile(file, stringify(egressTo(socket)))
  return {
    file,
    close: () => {
      server.close()
      for (const one of open) one.destroy()
    },
  }
}

/** `cluster`: Services; `controlplane`: webhooks that have a URL. */
const egressTo = (udsName: string) => ({
  apiVersion: 'apiserver.k8s.io/v1beta1',
  kind: 'EgressSelectorConfiguration',
  egressSelections: ['cluster', 'controlplane'].map(name => ({
    name,
    connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } },
  })),
})

const joined = (near: Socket, port: number): void => {
  const far = connect(port, '127.0.0.1')
  far.on('connect', () => {
    near.write('HTTP/1.1 200 Connection established\r\n\r\n')
    near.pipe(far).pipe(near)
  })
  far.on('error', () => near.destroy())
  near.on('close', () => far.destroy())
}
