// Servers that take connections and answer nobody, for registries and API servers of somebody who means ill.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** `silent`: says nothing. `drips`: begins an answer at once, and goes on with a byte a second. */
type Manner = 'silent' | 'drips'

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n'

const drip = (socket: Socket): void => {
  socket.once('data', () => socket.write(head))
  const drops = setInterval(() => socket.write(' '), 1_000)
  socket.on('close', () => clearInterval(drops))
}

/** Listens on a port of its own, and does not keep this process alive. */
const opened = async (manner: Manner): Promise<string> => {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    socket.resume()
    if (manner === 'drips') drip(socket)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** `host:port` of each. */
export const silentServers = (count: number, manner: Manner = 'silent'): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => opened(manner)))
