// Hands keys to the relay. Nothing is kept here: the caller who brought the event gets 200 only after the relay has queued the keys, and
// sends the event again otherwise.
import { type Dispatcher, Pool } from 'undici'
import type { Key } from '../core/objects/object.ts'
import { RelayAway, RelayRefusal } from './relay-errors.ts'

type RelayClient = {
  /** Resolves once the relay has queued the keys; throws RelayAway when trying again may help, else RelayRefusal. */
  handOver(keys: KeysToHandOver, call: { traceparent: string; signal?: AbortSignal }): Promise<void>
  close(): Promise<void>
}

type KeysToHandOver = { function: string; keys: readonly Key[] }

type RelayAccess = {
  url: string
  /** Called for every request, because the kubelet replaces projected tokens. */
  token: () => Promise<string>
  /** PEM of the authorities that sign the relay's certificate; absent: those the system trusts. */
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
