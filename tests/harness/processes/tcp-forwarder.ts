// An address that stays while what answers there is replaced: as the Service in front of the Pods of a Deployment. A connection stays
// with whom it began; new ones go to the latest.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpForwarder = {
  readonly port: number
  /** New connections go to this local port from now on; those that are open stay. */
  leadTo(port: number): void
  close(): void
}

/** Leads nowhere yet: it closes what connects. */
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
      // The close that follows says it to the other side.
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
