// A table of edits that fields of an Istio make in the IstioOperator. Absent fields change nothing. Edits are data: `at` is a path in the
// spec; numbers are indexes of lists. External authorizers become extension providers of the mesh.
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { own, valueAt, withField } from '../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { unicodeEscape } from '../../../shared/core/text/text.ts'
import { durationNanos } from '../../../shared/core/time/duration.ts'

/** `becomes` maps the old value to the new value. Returning its argument changes nothing and creates no field. */
export type Edit = { readonly at: string; readonly becomes: (before: unknown) => unknown }

export const setAt = (at: string, value: unknown): Edit => ({ at, becomes: () => value })

/** Sets fields of the map at the path. */
export const addedAt = (at: string, fields: JsonMap): Edit => ({
  at,
  becomes: before =>
    Object.entries(fields).reduce((map, [key, value]) => withField(map, key, value), mapOrEmpty(before)),
})

const appendedAt = (at: string, items: readonly unknown[]): Edit => ({
  at,
  becomes: before => [...listOrEmpty(before), ...items],
})

/** Sets environment variables in the list at the path. Each name occurs once. */
const variablesAt = (at: string, values: Readonly<Record<string, string>>): Edit => ({
  at,
  becomes: before => [
    ...listOrEmpty(before).filter(one => !isMap(one) || !Object.hasOwn(values, String(one.name))),
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
  ],
})

/** Returns a copy with all edits, applied in order. */
export const edited = (operator: IstioOperator, edits: readonly Edit[]): IstioOperator => ({
  ...operator,
  spec: edits.reduce((spec, { at, becomes }) => mapOrEmpty(changedAt(spec, at.split('.'), becomes)), operator.spec),
})

const changedAt = (value: unknown, [field, ...rest]: readonly string[], becomes: Edit['becomes']): unknown => {
  if (field === undefined) return becomes(value)
  const isElement = /^\d+$/.test(field)
  const before = isElement ? listOrEmpty(value)[Number(field)] : own(mapOrEmpty(value), field)
  const after = changedAt(before, rest, becomes)
  if (after === before) return value
  return isElement
    ? Object.assign([...listOrEmpty(value)], { [field]: after })
    : withField(mapOrEmpty(value), field, after)
}

const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

type Row = {
  readonly field: string
  readonly edits: (value: unknown) => readonly Edit[]
  /** The value to use if the field is absent. */
  readonly usually?: unknown
}

/** `spec` must fit the schema of Istio. */
export const customizations = (spec: JsonMap): readonly Edit[] =>
  rows.flatMap(({ field, edits, usually }) => {
    const value = valueAt(spec, ...field.split('.')) ?? usually
    return value === undefined ? [] : edits(value)
  })

const copied = (field: string, at: string): Row => ({ field, edits: value => [setAt(at, value)] })

const whenOn = (field: string, ...edits: readonly Edit[]): Row => ({
  field,
  edits: value => (value === true ? edits : []),
})

const listed = (field: string, edit: (list: readonly unknown[]) => Edit): Row => ({
  field,
  edits: value => (Array.isArray(value) && value.length > 0 ? [edit(value)] : []),
})

const proxyConfig = 'meshConfig.defaultConfig'
const ingress = 'components.ingressGateways.0'
const pilotVariables = 'components.pilot.k8s.env'

/** Fields of `resources`. If the Istio lacks a quantity, the profile's quantity stays. */
const claims = ['limits', 'requests'].flatMap(bound => ['cpu', 'memory'].map(resource => `${bound}.${resource}`))

/** Fields of `k8s` that any component can have. Each affinity field is replaced as a whole. */
const k8sFields = [
  ...['hpaSpec.minReplicas', 'hpaSpec.maxReplicas'],
  ...['strategy.rollingUpdate.maxSurge', 'strategy.rollingUpdate.maxUnavailable'],
  ...claims.map(claim => `resources.${claim}`),
  ...['affinity.nodeAffinity', 'affinity.podAffinity', 'affinity.podAntiAffinity'],
]

const workload = (component: string, at: string): Row[] =>
  k8sFields.map(field => copied(`components.${component}.k8s.${field}`, `${at}.k8s.${field}`))

const rows: readonly Row[] = [
  copied('config.numTrustedProxies', `${proxyConfig}.gatewayTopology.numTrustedProxies`),
  copied('config.forwardClientCertDetails', `${proxyConfig}.gatewayTopology.forwardClientCertDetails`),
  { ...copied('config.telemetry.metrics.prometheusMerge', 'meshConfig.enablePrometheusMerge'), usually: false },
  copied('config.trustDomain', 'meshConfig.trustDomain'),
  {
    field: 'config.enableDNSProxying',
    edits: isOn => [setAt(`${proxyConfig}.proxyMetadata.ISTIO_META_DNS_CAPTURE`, String(isOn))],
  },
  listed('config.proxyStatsMatcher.inclusionRegexps', list =>
    setAt(`${proxyConfig}.proxyStatsMatcher.inclusionRegexps`, list),
  ),
  listed('config.authorizers', list => appendedAt('meshConfig.extensionProviders', extensionProviders(list))),
  {
    field: 'config.gatewayExternalTrafficPolicy',
    edits: policy => [
      appendedAt(`${ingress}.k8s.overlays`, [
        {
          kind: 'Service',
          name: 'istio-ingressgateway',
          patches: [{ path: 'spec.externalTrafficPolicy', value: policy }],
        },
      ]),
    ],
  },
  ...workload('pilot', 'components.pilot'),
  ...workload('ingressGateway', ingress),
  ...workload('egressGateway', 'components.egressGateways.0'),
  ...workload('cni', 'components.cni'),
  copied('components.egressGateway.enabled', 'components.egressGateways.0.enabled'),
  ...claims.map(claim => copied(`components.proxy.k8s.resources.${claim}`, `values.global.proxy.resources.${claim}`)),
  whenOn('compatibilityMode', variablesAt(pilotVariables, { PILOT_SIDECAR_PICK_BEST_SERVICE_NAMESPACE: 'false' })),
  whenOn(
    'experimental.enableAmbient',
    setAt('components.ztunnel.enabled', true),
    setAt('values.pilot.env.PILOT_ENABLE_AMBIENT', 'true'),
    setAt('values.cni.ambient.enabled', true),
    setAt(`${proxyConfig}.proxyMetadata.ISTIO_META_ENABLE_HBONE`, 'true'),
  ),
  whenOn(
    'experimental.pilot.enableAlphaGatewayAPI',
    variablesAt(pilotVariables, { PILOT_ENABLE_ALPHA_GATEWAY_API: 'true' }),
  ),
  whenOn(
    'experimental.pilot.enableMultiNetworkDiscoverGatewayAPI',
    variablesAt(pilotVariables, { PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API: 'true' }),
  ),
]

const extensionProviders = (authorizers: readonly unknown[]): JsonMap[] =>
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
