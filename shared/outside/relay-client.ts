// Sends keys to the relay. The sender of an event gets 200 only after the relay has queued the keys. Otherwise the sender repeats the
// event, so the host stores nothing.
import { type Dispatcher, Pool } from 'undici'
import type { Key } from '../core/objects/object.ts'
import { RelayAway, RelayRefusal } from './relay-errors.ts'

type RelayClient = {
  /** Resolves when the keys are queued. Throws RelayAway if another attempt may succeed, otherwise RelayRefusal. */
  handOver(keys: KeysToHandOver, call: { traceparent: string; signal?: AbortSignal }): Promise<void>
  close(): Promise<void>
}

type KeysToHandOver = { function: string; keys: readonly Key[] }

type RelayAccess = {
  url: string
  /** Called for each request, because kubelet replaces projected tokens. */
  token: () => Promise<string>
  /** PEM of the authorities that sign the relay's certificate. Default: the authorities of the system. */
  authorities?: string
}

const answerMilliseconds = 5_000

export const relayClient = (access: RelayAccess): RelayClient => {
  const pool = new Pool(access.url, {
    connections: 4,
    headersTimeout: answerMilliseconds,
    bodyTimeout: answerMilliseconds,
    connect: { timeout: answerMilliseconds, ca: access.authorities },
  })
  return {
    handOver: async (keys, call) => {
      const token = await access.token()
      const status = await posted(pool, { keys, call, token })
      if (status === 202) return
      throw isPassing(status) ? new RelayAway(`the relay answered ${status}`) : new RelayRefusal(status)
    },
    close: () => pool.close(),
  }
}

type Posting = { keys: KeysToHandOver; call: { traceparent: string; signal?: AbortSignal }; token: string }

const posted = async (pool: Dispatcher, { keys, call, token }: Posting): Promise<number> => {
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/relay/keys',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        traceparent: call.traceparent,
      },
      body: JSON.stringify(keys),
      signal: call.signal,
    })
    await body.dump()
    return statusCode
  } catch (cause) {
    throw new RelayAway('the relay cannot be reached', { cause })
  }
}

const isPassing = (status: number): boolean => status >= 500 || status === 429 || status === 408
