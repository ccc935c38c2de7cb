// A table of edits that fields of an Istio make in the IstioOperator. Absent fields change nothing.
import { valueAt } from '../../../../shared/core/json/fields.ts'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import { extensionProviders } from './authorizers.ts'
import { appendedAt, type Edit, setAt, variablesAt } from './edit.ts'

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
