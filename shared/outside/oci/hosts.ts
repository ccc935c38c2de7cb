// Decides which hosts a pull may reach, and connects to them. The caller passes the rules: those for every address that comes from
// objects of a cluster.
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, Pool } from 'undici'
import { type ByteBudget, byteBudget } from '../../core/bounds/byte-budget.ts'

export type RegistryRules = {
  /** Why this URL must not be asked; undefined when it may. */
  faultOf(url: URL): string | undefined
  readonly dispatcher: Dispatcher
  readonly room: ByteBudget
}

type HostRules = {
  /** Why this host is not allowed, for error messages. */
  faultOf(host: URL): string | undefined
  /** Resolves the host's name; the system's resolver when undefined. */
  lookupFor(host: URL): LookupFunction | undefined
}

export type RegistryHosts = {
  readonly hosts: HostRules
  /** `host:port` of registries that are asked without TLS. */
  readonly plain: readonly string[]
}

const connectMilliseconds = 5_000
const answerMilliseconds = 10_000

/** Two of the largest layers. When more arrives, the registry that sends most loses its answer. */
const roomBytes = 32 * 2 ** 20

/** Connections open when they are needed and close when idle. */
export const registryRules = ({ hosts, plain }: RegistryHosts): RegistryRules => ({
  faultOf: url => {
    if (url.protocol === 'http:') return isPlain(url, plain) ? undefined : `${url.host} is not asked without TLS`
    return url.protocol === 'https:' ? hosts.faultOf(url) : `${url.protocol} is no protocol of registries`
  },
  room: byteBudget(roomBytes, () => performance.now()),
  dispatcher: new Agent({
    headersTimeout: answerMilliseconds,
    bodyTimeout: answerMilliseconds,
    factory: (origin, options) => {
      const lookup = isPlain(new URL(origin), plain) ? undefined : hosts.lookupFor(new URL(origin))
      return new Pool(origin, { ...options, connect: { timeout: connectMilliseconds, ...(lookup && { lookup }) } })
    },
  }),
})

/** Whether the operator named the registry as one without TLS. A URL does not show port 80. */
const isPlain = ({ protocol, port, host }: URL, plain: readonly string[]): boolean =>
  protocol === 'http:' && plain.includes(port === '' ? `${host}:80` : host)
