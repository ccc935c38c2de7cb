// Builds the IstioOperator for an Istio in this cluster: the profile, changed by the Istio, the images, the pull secret, and last the
// cluster's provider.
import type { IstioOperator, IstioProfiles } from '../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { hasLongLabel, hasSubdomainForm } from '../../../shared/core/objects/dns-name.ts'
import { quantityAmount } from '../../../shared/core/objects/quantity.ts'
import { type ClusterFacts, type Features, type Provider, profileNameFor, providerOf } from '../rules/cluster-facts.ts'
import { tagOf } from '../rules/version.ts'
import type { IstioImages, IstioSettings } from '../settings.ts'
import { addedAt, authorizersFault, customizations, type Edit, edited, quoted, setAt } from './customizations.ts'

export type OperatorInput = {
  readonly spec: JsonMap
  readonly cluster: ClusterFacts
  readonly profiles: IstioProfiles
  readonly installation: Partial<Pick<IstioSettings, 'images' | 'pullSecret'>>
}

/** `fault`: which field of the Istio cannot be part of an IstioOperator, and why. */
export const wantedOperator = (
  input: OperatorInput,
): { readonly operator: IstioOperator } | { readonly fault: string } => {
  const profile = input.profiles[profileNameFor(input.cluster.nodes)]
  const operator = edited(profile, editsFor(input))
  const fault = meshFault(input.spec, profile) ?? workloadsFault(operator)
  return fault === undefined ? { operator } : { fault: `Could not merge Istio operator configuration: ${fault}` }
}

/** The first field that istiod cannot read or would misread. */
const meshFault = (spec: JsonMap, profile: IstioOperator): string | undefined => {
  const authorizers = valueAt(spec, 'config', 'authorizers')
  const taken = mapsIn(valueAt(profile.spec, 'meshConfig', 'extensionProviders')).map(({ name }) => name)
  const fault = authorizersFault(Array.isArray(authorizers) ? authorizers : [], taken)
  return (
    fault ?? trustDomainFault(valueAt(spec, 'config', 'trustDomain')) ?? lineSeparatorsFault(spec.config, 'spec.config')
  )
}

const editsFor = ({ spec, cluster, installation }: OperatorInput): readonly Edit[] => [
  ...customizations(spec),
  ...featureEdits(cluster.features),
  ...(cluster.isDualStack ? dualStackEdits : []),
  ...imageEdits(installation.images),
  ...pullSecretEdits(installation.pullSecret),
  ...providerEdits(providerOf(cluster)),
]

// With an invalid trust domain, istiod ignores the whole mesh configuration, and cannot start after a restart.

const trustDomainFault = (domain: unknown): string | undefined => {
  if (!isText(domain)) return undefined
  const rest = domain.replace(/\.$/, '')
  const isFine = hasSubdomainForm(rest) && !hasLongLabel(rest)
  return isFine ? undefined : `spec.config.trustDomain: ${JSON.stringify(domain)} is not a DNS name`
}

const variable = { ISTIO_DUAL_STACK: 'true' }

/** Edits for dual-stack clusters (IPv4 and IPv6). */
const dualStackEdits: readonly Edit[] = [
  addedAt('meshConfig.defaultConfig.proxyMetadata', variable),
  addedAt('values.pilot.env', variable),
  ...['pilot', 'gateways.istio-ingressgateway', 'gateways.istio-egressgateway'].map(root =>
    setAt(`values.${root}.ipFamilyPolicy`, 'RequireDualStack'),
  ),
]

// U+0085, U+2028 and U+2029 end a line in YAML. Helm templates do not escape them, so the mesh configuration would be invalid YAML.

/** The first text or key with a line separator, with its path. The schema limits the depth of the value. */
const lineSeparatorsFault = (value: unknown, path: string): string | undefined => {
  if (isText(value)) return separator.test(value) ? `${path}: ${quoted(value)} contains a line separator` : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const fault = lineSeparatorsFault(separator.test(key) ? key : inner, separator.test(key) ? path : at)
    if (fault !== undefined) return fault
  }
  return undefined
}

const separator = /[\u0085\u2028\u2029]/

// Edits for the features in the cluster's ConfigMap.
const featureEdits = ({ isCniDisabled, hasControlPlaneVpa }: Features): readonly Edit[] => [
  ...(isCniDisabled ? [setAt('components.cni.enabled', false)] : []),
  ...(hasControlPlaneVpa ? scaled.flatMap(withoutMemory) : []),
]

/** Components with a HorizontalPodAutoscaler, and the path of its chart's values. */
const scaled = [
  { component: 'pilot', root: 'pilot' },
  { component: 'ingressGateways.0', root: 'gateways.istio-ingressgateway' },
  { component: 'egressGateways.0', root: 'gateways.istio-egressgateway' },
]

/** Scales by CPU only, because scaling by memory conflicts with the VerticalPodAutoscaler. */
const withoutMemory = ({ component, root }: (typeof scaled)[number]): Edit[] => [
  {
    at: `components.${component}.k8s.hpaSpec.metrics`,
    becomes: before => (Array.isArray(before) ? before.filter(metric => !isOfMemory(metric)) : before),
  },
  { at: `values.${root}.memory`, becomes: before => (isMap(before) ? {} : before) },
]

const isOfMemory = (metric: unknown): boolean =>
  isMap(metric) && ['resource', 'containerResource'].some(source => valueAt(metric, source, 'name') === 'memory')

// Images from Espalier's settings, and the Secret to pull them.
/** Hub and tag come from the pilot's image. Without images in the settings, the profile's images stay. */
const imageEdits = (images: IstioImages | undefined): readonly Edit[] => {
  if (images === undefined) return []
  return [
    setAt('hub', hubOf(images.pilot)),
    setAt('tag', tagOf(images.pilot)),
    setAt('values.pilot.image', images.pilot),
    setAt('values.cni.image', images.cni),
    ...['proxy', 'proxy_init'].map(container => setAt(`values.global.${container}.image`, images.proxy)),
    ...(images.ztunnel === undefined ? [] : [setAt('values.ztunnel.image', images.ztunnel)]),
  ]
}

/** `registry:5000/istio` of `registry:5000/istio/pilot:1.30.2@sha256:…`. */
const hubOf = (image: string): string => image.replace(/@.*$/, '').split('/').slice(0, -1).join('/')

const pullSecretEdits = (name: string | undefined): readonly Edit[] => {
  if (name === undefined) return []
  const becomes = (before: unknown) => [...new Set([...(Array.isArray(before) ? before : []), name])]
  return [{ at: 'values.global.imagePullSecrets', becomes }]
}

const onIngressService = (annotations: Readonly<Record<string, string>>): Edit =>
  addedAt('components.ingressGateways.0.k8s.serviceAnnotations', annotations)

const onAwsLoadBalancer = (settings: Readonly<Record<string, string>>): Edit =>
  onIngressService(
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`service.beta.kubernetes.io/aws-load-balancer-${name}`, value]),
    ),
  )

const edits: Readonly<Record<Provider, readonly Edit[]>> = {
  gke: [
    setAt('values.cni.cniBinDir', '/home/kubernetes/bin'),
    setAt('values.cni.resourceQuotas.enabled', true),
    setAt('values.global.platform', 'gke'),
  ],
  k3d: [
    setAt('values.cni.cniBinDir', '/var/lib/rancher/k3s/data/cni'),
    setAt('values.cni.cniConfDir', '/var/lib/rancher/k3s/agent/etc/cni/net.d'),
  ],
  'aws-elb': [onAwsLoadBalancer({ 'proxy-protocol': '*', 'connection-idle-timeout': '4000' })],
  'aws-dual-stack': [
    onAwsLoadBalancer({
      type: 'external',
      scheme: 'internet-facing',
      'nlb-target-type': 'instance',
      'proxy-protocol': '*',
    }),
  ],
  'aws-nlb': [onAwsLoadBalancer({ type: 'nlb', scheme: 'internet-facing', 'nlb-target-type': 'instance' })],
  'openstack-garden': [onIngressService({ 'loadbalancer.openstack.org/proxy-protocol': 'v1' })],
  openstack: [],
}

const providerEdits = (provider: Provider | undefined): readonly Edit[] =>
  provider === undefined ? [] : edits[provider]

// Checks whether an API server will accept the workloads and sidecars. Without this check, the API server refuses a workload after other
// objects have changed, or refuses a Pod because of its sidecar during a restart.

const workloadsFault = ({ spec }: IstioOperator): string | undefined => {
  const proxy = { resources: valueAt(spec, 'values', 'global', 'proxy', 'resources') }
  for (const [component, k8s] of [...workloadsIn(spec), ['proxy', proxy] as const])
    for (const { field, faults } of rows) {
      const found = faults(mapOrEmpty(valueAt(k8s, ...field.split('.'))))
      if (found.length > 0) return `spec.components.${component}.k8s.${field}: ${found.join('; ')}`
    }
  return undefined
}

const components = { pilot: 'pilot', ingressGateway: 'ingressGateways', egressGateway: 'egressGateways', cni: 'cni' }

const workloadsIn = (spec: JsonMap): (readonly [component: string, k8s: unknown])[] =>
  Object.entries(components).flatMap(([name, field]) => {
    const component = valueAt(spec, 'components', field)
    const { enabled, k8s } = mapOrEmpty(Array.isArray(component) ? component[0] : component)
    return enabled === false ? [] : [[name, k8s] as const]
  })

type Row = { readonly field: string; readonly faults: (value: JsonMap) => readonly string[] }

const rows: readonly Row[] = [
  { field: 'resources', faults: resources => ['cpu', 'memory'].flatMap(resource => beyondLimit(resources, resource)) },
  {
    field: 'hpaSpec',
    faults: ({ minReplicas, maxReplicas }) => [
      ...(Number(minReplicas) > Number(maxReplicas)
        ? [`minReplicas ${minReplicas} is more than maxReplicas ${maxReplicas}`]
        : []),
      ...Object.entries({ minReplicas, maxReplicas }).flatMap(([field, count]) =>
        count === 0 ? [`${field} is 0`] : [],
      ),
    ],
  },
  {
    field: 'strategy.rollingUpdate',
    faults: ({ maxSurge, maxUnavailable }) => [
      ...([maxSurge, maxUnavailable].every(share => Number.parseInt(String(share), 10) === 0)
        ? ['maxSurge and maxUnavailable are both 0, so no Pod can be replaced']
        : []),
      ...Object.entries({ maxSurge, maxUnavailable }).flatMap(([field, share]) => shareFault(field, share)),
    ],
  },
]

/** Refuses a text such as `"1"`, which the schema accepts. The API server requires a number or a percentage. */
const shareFault = (field: string, share: unknown): readonly string[] =>
  isText(share) && !share.endsWith('%')
    ? [`${field} ${JSON.stringify(share)} is neither a number nor a percentage`]
    : []

const beyondLimit = (resources: JsonMap, resource: string): readonly string[] => {
  const [request, limit] = ['requests', 'limits'].map(side => String(valueAt(resources, side, resource) ?? ''))
  const isBeyond = (quantityAmount(request ?? '') ?? 0) > (quantityAmount(limit ?? '') ?? Number.POSITIVE_INFINITY)
  return isBeyond ? [`the ${resource} request ${request} exceeds the limit ${limit}`] : []
}
