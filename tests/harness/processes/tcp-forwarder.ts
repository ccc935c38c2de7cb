// A constant address in front of changing servers, like the Service in front of the Pods of a Deployment. A connection stays with its server; new
// connections go to the latest server.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpForwarder = {
  readonly port: number
  /** New connections go to this local port from now on. Open ones stay. */
  leadTo(port: number): void
  close(): void
}

/** Leads nowhere at first: it closes connections. */
export async function tcpForwarder(targetHost = '127.0.0.1'): Promise<TcpForwarder> {
  let target: number | undefined
  const open = new Set<Socket>()
  const server = createServer(client => {
    if (target === undefined) return client.destroy()
    const far = connect(target, targetHost)
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      open.add(one)
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      // The close event that follows tells the other side.
      one.on('error', () => one.destroy())
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: port => {
      target = port
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
