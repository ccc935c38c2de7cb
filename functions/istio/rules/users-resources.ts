// Resources of users: which block the deletion of an Istio, because they would be lost or useless without it, and which EnvoyFilters of
// istio-system may break the ingress gateway.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type GroupVersionKind, groupOf, type KubeObject } from '../../../shared/core/objects/object.ts'

type BlockingKind = GroupVersionKind & { readonly plural: string }

const group = (apiVersion: string, kinds: Readonly<Record<string, string>>): BlockingKind[] =>
  Object.entries(kinds).map(([plural, kind]) => ({ apiVersion, kind, plural }))

export const blockingKinds: readonly BlockingKind[] = [
  ...group('security.istio.io/v1', {
    authorizationpolicies: 'AuthorizationPolicy',
    peerauthentications: 'PeerAuthentication',
    requestauthentications: 'RequestAuthentication',
  }),
  ...group('networking.istio.io/v1', {
    destinationrules: 'DestinationRule',
    gateways: 'Gateway',
    serviceentries: 'ServiceEntry',
    sidecars: 'Sidecar',
    virtualservices: 'VirtualService',
    workloadentries: 'WorkloadEntry',
    workloadgroups: 'WorkloadGroup',
  }),
  ...group('networking.istio.io/v1alpha3', { envoyfilters: 'EnvoyFilter' }),
  ...group('networking.istio.io/v1beta1', { proxyconfigs: 'ProxyConfig' }),
  ...group('telemetry.istio.io/v1', { telemetries: 'Telemetry' }),
  ...group('extensions.istio.io/v1alpha1', { wasmplugins: 'WasmPlugin' }),
]

export const definitionName = ({ plural, apiVersion }: BlockingKind): string => `${plural}.${groupOf(apiVersion)}`

/**
 * Whether a CustomResourceDefinition belongs to Istio, even if the table lacks its kind. IstioOperators are excluded, because installers
 * write them, not users.
 */
export const isOfIstio = (definition: string): boolean =>
  definition.endsWith('.istio.io') && !definition.endsWith('.install.istio.io')

type Exemption = { readonly kind: string; readonly name: RegExp }

/** Resources that an installation creates in istio-system. */
const exemptions: readonly Exemption[] = [
  { kind: 'EnvoyFilter', name: /^(tcp-)?stats-filter-\d\.\d\d$/ },
  { kind: 'EnvoyFilter', name: /^(kyma-referer|proxy-protocol)$/ },
  { kind: 'PeerAuthentication', name: /^default$/ },
  { kind: 'VirtualService', name: /^istio-healthz$/ },
]

/** Whether the resource is ours, by its label or name. */
export const isExempt = ({ kind, metadata: { name, namespace, labels } }: KubeObject): boolean =>
  labels?.[istioNames.labels.module] === istioNames.module ||
  (namespace === istioNames.namespaces.mesh &&
    exemptions.some(exemption => exemption.kind === kind && exemption.name.test(name)))

/** The names of the first ten blocking resources, and the total number. */
export type Blocking = { readonly first: readonly string[]; readonly count: number }

const shownMost = 10

export const namesShown = (names: readonly string[]): readonly string[] => names.slice(0, shownMost)

/** Whether the EnvoyFilter belongs to a user and selects the ingress gateway. */
export const isUsersForIngress = (filter: KubeObject): boolean => selectsIngress(filter) && isUsers(filter)

const selectsIngress = ({ spec }: KubeObject): boolean => {
  const labels = mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).workloadSelector).labels)
  return labels.istio === 'ingressgateway' || labels.app === 'istio-ingressgateway'
}

/** EnvoyFilters of Kyma modules (recognized by label) and of RateLimits (recognized by owner) do not belong to users. */
const isUsers = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): boolean =>
  !Object.hasOwn(labels, istioNames.labels.module) && !ownerReferences.some(({ kind }) => kind === 'RateLimit')
