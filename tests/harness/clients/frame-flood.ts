// A hostile API server that speaks HTTP/2. It begins to answer the first request, and then sends one frame again and again while the client listens.
// Frames are written by hand, because Node's own server sends no senseless ones.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Certified } from './certificates.ts'

type TestContext = { teardown(cleanUp: () => unknown): unknown }

const types = { data: 0, headers: 1, settings: 4, windowUpdate: 8, altsvc: 10, origin: 12 }

type Frame = { readonly type: keyof typeof types; readonly flags?: number; readonly stream?: number }

const bytesOf = ({ type, flags = 0, stream = 0 }: Frame, payload = ''): Buffer => {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes.writeUInt8(types[type], 3)
  bytes.writeUInt8(flags, 4)
  bytes.writeUInt32BE(stream, 5)
  bytes.write(payload, 9, 'latin1')
  return bytes
}

/** Frames that a client reads but that belong to no answer. */
export const emptyFrames = {
  /** Lets the client send one byte more. */
  WINDOW_UPDATE: bytesOf({ type: 'windowUpdate', stream: 1 }, '\0\0\0\x01'),
  /** Names another server for the same content. */
  ALTSVC: bytesOf({ type: 'altsvc', stream: 1 }, '\0\0a'),
  /** Names no other server for which the connection could be used. */
  ORIGIN: bytesOf({ type: 'origin' }),
}

const begin = Buffer.concat([
  bytesOf({ type: 'settings', flags: 1 }),
  // 0x88 is `:status: 200`; nothing follows in the head.
  bytesOf({ type: 'headers', flags: 4, stream: 1 }, '\x88'),
])

const framesPerWrite = 2_000

const flood = (socket: TLSSocket, frame: Buffer): void => {
  const frames = Buffer.concat(Array.from({ length: framesPerWrite }, () => frame))
  const more = (): void => {
    if (!socket.destroyed) socket.write(frames, more)
  }
  socket.write(begin, more)
}

/** Its address, and the number of connections on which a client listens. */
export const frameFlood = async (
  t: TestContext,
  frame: Buffer,
  { certificate: cert, key }: Certified,
): Promise<{ readonly url: string; open(): number }> => {
  const sockets = new Set<TLSSocket>()
  const server = createServer({ cert, key, ALPNProtocols: ['h2'] }, socket => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
    socket.write(bytesOf({ type: 'settings' }))
    // The first piece is the client's preface; its request comes after it, together with the confirmation of our settings.
    socket.once('data', () => socket.once('data', () => flood(socket, frame)).resume())
    socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => sockets.size }
}
