// Which hosts a pull may lead to, and the connections to them. The rules themselves are handed in: they are those for
// every address that comes from the content of a cluster.
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, Pool } from 'undici'
import { type ByteBudget, byteBudget } from '../../core/byte-budget.ts'

export type RegistryRules = {
  /** Why this URL is not asked; undefined when it may be. */
  faultOf(url: URL): string | undefined
  readonly dispatcher: Dispatcher
  /** For all answers that arrive at one time. */
  readonly room: ByteBudget
}

type HostRules = {
  /** Why this host is not allowed, for a sentence. */
  faultOf(host: URL): string | undefined
  /** How the names of this host's addresses are found; the system's way when undefined. */
  lookupFor(host: URL): LookupFunction | undefined
}

export type RegistryHosts = {
  readonly hosts: HostRules
  /** Host and port of registries that speak HTTP. */
  readonly plain: readonly string[]
}

const connectMilliseconds = 5_000
const answerMilliseconds = 10_000

/** Two of the largest layers: who has most of it loses first. */
const roomBytes = 32 * 2 ** 20

/** Connections are made when they are needed, and end by themselves when idle. */
export const registryRules = ({ hosts, plain }: RegistryHosts): RegistryRules => ({
  faultOf: url => {
    if (url.protocol === 'http:') return plain.includes(url.host) ? undefined : `${url.host} is not asked without TLS`
    return url.protocol === 'https:' ? hosts.faultOf(url) : `${url.protocol} is no protocol of registries`
  },
  room: byteBudget(roomBytes, () => performance.now()),
  dispatcher: new Agent({
    headersTimeout: answerMilliseconds,
    bodyTimeout: answerMilliseconds,
    factory: (origin, options) => {
      const lookup = plain.includes(new URL(origin).host) ? undefined : hosts.lookupFor(new URL(origin))
      return new Pool(origin, { ...options, connect: { timeout: connectMilliseconds, ...(lookup && { lookup }) } })
    },
  }),
})
