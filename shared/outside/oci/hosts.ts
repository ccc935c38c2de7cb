// Decides which hosts a pull may reach, and connects to them. The caller passes rules for hosts that are named in objects.
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, Pool } from 'undici'
import { type ByteBudget, byteBudget } from '../../core/bounds/bytes.ts'

export type RegistryRules = {
  /** The reason why a URL is forbidden; undefined when it is allowed. */
  faultOf(url: URL): string | undefined
  readonly dispatcher: Dispatcher
  readonly room: ByteBudget
}

type HostRules = {
  /** The reason why the host is forbidden; undefined when it is allowed. */
  faultOf(host: URL): string | undefined
  /** Default: the system's resolver. */
  lookupFor(host: URL): LookupFunction | undefined
}

export type RegistryHosts = {
  readonly hosts: HostRules
  /** `host:port` of registries without TLS. */
  readonly plain: readonly string[]
}

const connectMilliseconds = 5_000
const answerMilliseconds = 10_000

/** Room for two layers of the largest size. Above this limit, the registry with the most bytes loses its answer. */
const roomBytes = 32 * 2 ** 20

/** Connections open on demand and close when idle. */
export const registryRules = ({ hosts, plain }: RegistryHosts): RegistryRules => ({
  faultOf: url => {
    if (url.protocol === 'http:') return isPlain(url, plain) ? undefined : `${url.host} must not be used without TLS`
    return url.protocol === 'https:'
      ? hosts.faultOf(url)
      : `${url.protocol} is not a protocol of registries: expected https`
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

/** Whether the operator listed this registry as a registry without TLS. URLs omit port 80. */
const isPlain = ({ protocol, port, host }: URL, plain: readonly string[]): boolean =>
  protocol === 'http:' && plain.includes(port === '' ? `${host}:80` : host)
