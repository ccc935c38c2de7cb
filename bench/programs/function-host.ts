// A host for the relay to call that does nothing: every key is settled at once. It knows which keys were called, and when.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { wallMilliseconds } from '../measure/wall-clock.ts'
import { serveParent } from '../measure/worker.ts'

type Target = { keys: number; fulfilled(at: number): void }

/** By key, when it was called last. */
const lastCalls = new Map<string, number>()
let calls = 0
let target: Target | undefined

const settled = JSON.stringify({ outcome: 'settled' })

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const at = wallMilliseconds()
  const { name } = (await json(request)) as { name: string }
  lastCalls.set(name, at)
  calls++
  response.setHeader('content-type', 'application/json')
  response.end(settled)
  if (target && lastCalls.size >= target.keys) target.fulfilled(at)
}

const commands = {
  /** Answers its port. */
  begin: async (): Promise<number> => {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
  forget: (): void => {
    lastCalls.clear()
    calls = 0
  },
  /** Resolves with the time when so many different keys had been called since it was told to forget. */
  untilCalled: (keys: number): Promise<number> =>
    new Promise(resolve => {
      target = { keys, fulfilled: resolve }
      if (lastCalls.size >= keys) resolve(wallMilliseconds())
    }),
  seen: () => ({ calls, lastCalls }),
}

export type FunctionHost = typeof commands

serveParent(commands)
