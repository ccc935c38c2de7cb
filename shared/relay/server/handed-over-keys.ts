// Accepts keys from hosts. Queues keys of its own shards, and posts all other keys to their relays. Answers 202 only when all keys are
// queued. Otherwise the host retries.
import { Agent } from 'undici'
import type { Log } from '../../core/log.ts'
import { type Calls, shardText } from '../calls/calls.ts'
import type { Shards } from '../shards/shards.ts'
import { type FunctionKeys, type HandedKeys, passedOnHeader, type RequestRefusal } from './server.ts'

type HandedOverKeysOptions = {
  functions: readonly string[]
  calls: Calls
  shards: Shards
  /** The reason why the relay accepts no keys now; undefined when the relay accepts keys. */
  closedBecause(): string | undefined
  token(): Promise<string>
  log: Log
}

export class HandedOverKeys {
  readonly #options: HandedOverKeysOptions
  readonly #agent = new Agent({ headersTimeout: 3_000, bodyTimeout: 3_000, connect: { timeout: 2_000 } })

  constructor(options: HandedOverKeysOptions) {
    this.#options = options
  }

  async accept({ function: name, keys, isPassedOn }: HandedKeys): Promise<RequestRefusal | undefined> {
    const { functions, calls, shards, closedBecause } = this.#options
    if (!functions.includes(name)) return unknownFunction(name, functions)
    const reason = closedBecause()
    if (reason !== undefined) return notNow(reason)
    const isOurs = Map.groupBy(keys, key => shards.holds(shardText(name, key)))
    for (const key of isOurs.get(true) ?? []) calls.call(name, key)
    const others = isOurs.get(false) ?? []
    if (others.length === 0) return undefined
    return isPassedOn ? notNow('another relay serves the keys') : this.#passOn({ function: name, keys: others })
  }

  async close(): Promise<void> {
    await this.#agent.close()
  }

  async #passOn({ function: name, keys }: FunctionKeys): Promise<RequestRefusal | undefined> {
    const byAddress = Map.groupBy(keys, key => this.#options.shards.addressOf(shardText(name, key)))
    const posts = [...byAddress].map(([address, group]) =>
      address === undefined ? false : this.#isTaken(address, { function: name, keys: group }),
    )
    const areTaken = await Promise.all(posts)
    return areTaken.every(Boolean) ? undefined : notNow('no relay that serves the keys accepts them')
  }

  async #isTaken(origin: string, keys: FunctionKeys): Promise<boolean> {
    const { token, log } = this.#options
    try {
      const authorization = `Bearer ${await token()}`
      const headers = { authorization, 'content-type': 'application/json', [passedOnHeader]: 'true' }
      const request = { origin, path: '/relay/keys', method: 'POST', headers, body: JSON.stringify(keys) } as const
      const { statusCode, body } = await this.#agent.request(request)
      await body.dump()
      return statusCode === 202
    } catch (error) {
      log.warn({ function: keys.function, origin, err: error }, 'keys cannot be passed on')
      return false
    }
  }
}

const notNow = (message: string): RequestRefusal => ({ status: 503, code: 'notNow', message })

const unknownFunction = (name: string, functions: readonly string[]): RequestRefusal => ({
  status: 404,
  code: 'unknownFunction',
  message: `there is no function ${JSON.stringify(name)}`,
  functions,
})
