// Callers that mean no good: connections that say what they are told to, or nothing, and what they hear.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { Test } from 'tap'

export type Target = { port: number; isTls?: boolean }

export type Attacker = {
  socket: Socket
  /** All that was said to it so far, or since it forgot. */
  heard(): string
  forget(): void
  /** Resolves when the connection is over, however that came about. */
  over: Promise<void>
}

/** Connected, with its handshake done. One that is not let in is over. */
export const attacker = async (t: Test, { port, isTls }: Target): Promise<Attacker> => {
  const options = { port, host: '127.0.0.1' }
  const socket = isTls ? tlsConnect({ ...options, rejectUnauthorized: false }) : connect(options)
  t.teardown(() => socket.destroy())
  const over = new Promise<void>(resolve => socket.once('close', () => resolve()))
  let heard = ''
  socket.on('data', data => {
    heard += data
  })
  socket.on('error', () => socket.destroy())
  await Promise.race([once(socket, isTls ? 'secureConnect' : 'connect'), over])
  const forget = (): void => {
    heard = ''
  }
  return { socket, heard: () => heard, forget, over }
}

export const attackers = (t: Test, count: number, target: Target): Promise<Attacker[]> =>
  Promise.all(Array.from({ length: count }, () => attacker(t, target)))

/** Resolves when all was taken from it, or the connection is over. */
export const says = ({ socket, over }: Attacker, ...texts: (string | Uint8Array)[]): Promise<unknown> =>
  Promise.all(texts.map(text => Promise.race([new Promise(resolve => socket.write(text, resolve)), over])))

export const reviewHead = (length: number): string =>
  `POST /webhooks/widget HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
