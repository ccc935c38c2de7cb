// Turns the external authorizers of an Istio into extension providers of the mesh.
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, type JsonMap, mapsIn } from '../../../../shared/core/json/json.ts'
import { unicodeEscape } from '../../../../shared/core/text/text.ts'
import { durationNanos } from '../../../../shared/core/time/duration.ts'

export const extensionProviders = (authorizers: readonly unknown[]): JsonMap[] =>
  mapsIn(authorizers).map(authorizer => ({ name: authorizer.name, envoyExtAuthzHttp: provider(authorizer) }))

const provider = (authorizer: JsonMap): JsonMap => {
  const timeout = timeoutOf(authorizer)
  return {
    ...(isText(authorizer.service) && { service: authorizer.service }),
    port: authorizer.port,
    ...(isText(authorizer.pathPrefix) && { pathPrefix: authorizer.pathPrefix }),
    ...(timeout !== undefined && { timeout: protobufDuration(timeout) }),
    ...Object.fromEntries(
      headers.flatMap(({ at, as }) => {
        const value = valueAt(authorizer.headers, ...at)
        return value === undefined || value === null ? [] : [[as, value]]
      }),
    ),
  }
}

/** Fields of an authorizer, and the corresponding fields of the extension provider. */
const headers: readonly { readonly at: readonly string[]; readonly as: string }[] = [
  { at: ['inCheck', 'include'], as: 'includeRequestHeadersInCheck' },
  { at: ['inCheck', 'add'], as: 'includeAdditionalHeadersInCheck' },
  { at: ['toUpstream', 'onAllow'], as: 'headersToUpstreamOnAllow' },
  { at: ['toDownstream', 'onAllow'], as: 'headersToDownstreamOnAllow' },
  { at: ['toDownstream', 'onDeny'], as: 'headersToDownstreamOnDeny' },
]

/** The first fault, with the path of the field. `taken`: names of other extension providers. */
export const authorizersFault = (authorizers: readonly unknown[], taken: readonly unknown[]): string | undefined => {
  for (const [index, authorizer] of authorizers.entries())
    for (const { field, isWrong, why } of faults) {
      const value = valueAt(authorizer, field)
      if (isWrong(value, taken)) return `spec.config.authorizers[${index}].${field}: ${quoted(value)} ${why}`
    }
  return undefined
}

type Fault = {
  readonly field: string
  readonly isWrong: (value: unknown, taken: readonly unknown[]) => boolean
  readonly why: string
}

/** With a taken name, istiod replaces the other provider. With a negative port, istiod cannot read the mesh configuration at all. */
const faults: readonly Fault[] = [
  {
    field: 'name',
    isWrong: (name, taken) => taken.includes(name),
    why: 'is already the name of an extension provider of the mesh',
  },
  {
    field: 'port',
    isWrong: port => typeof port === 'number' && (port < 1 || port > 65_535),
    why: 'is not a port from 1 to 65535',
  },
  {
    field: 'timeout',
    isWrong: timeout => isText(timeout) && timeoutOf({ timeout }) === undefined,
    why: 'is not a duration such as 1.5s',
  },
]

/** The timeout in nanoseconds. */
const timeoutOf = ({ timeout }: JsonMap): bigint | undefined => {
  const nanos = isText(timeout) ? durationNanos(timeout) : undefined
  return nanos !== undefined && nanos >= 0n ? nanos : undefined
}

/** A duration in protobuf's JSON form: seconds with 0, 3, 6 or 9 decimals, such as `1.500s`. */
const protobufDuration = (nanos: bigint): string => {
  const [whole, fraction] = [nanos / oneSecond, nanos % oneSecond]
  const digits = String(fraction)
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '')
  return digits === '' ? `${whole}s` : `${whole}.${digits}s`
}

const oneSecond = 1_000_000_000n

/** The value as JSON, with visible line separators. A long text is cut. */
export const quoted = (value: unknown): string =>
  JSON.stringify(isText(value) ? value.slice(0, longestQuote) : value).replace(/[\u0085\u2028\u2029]/g, unicodeEscape)

const longestQuote = 100
