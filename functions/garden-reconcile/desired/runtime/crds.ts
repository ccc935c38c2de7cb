// The kinds that a Garden installs in its runtime cluster. The CustomResourceDefinitions are reduced: names, versions and subresources are
// the original ones, but the schemas keep every field and leave validation to the programs that serve the kinds.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { ownershipLabel, protectedLabel } from '../parts/names.ts'
import { isMeshForeign, needsVpa } from './switches.ts'

type Row = {
  readonly kind: string
  /** Absent: the kind in lower case with a final s. */
  readonly plural?: string
  readonly short?: readonly string[]
  readonly scope?: 'Cluster' | 'Namespaced'
  /** The first version is stored. */
  readonly versions: readonly string[]
  readonly status?: true
  readonly scale?: JsonMap
}

type Kinds = { readonly group: string; readonly isNeeded: (world: World) => boolean; readonly rows: readonly Row[] }

const always = () => true

const etcdScale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
}

const istioVersions = ['v1', 'v1beta1', 'v1alpha3']
const fluent = (kind: string, short: string, scope?: 'Cluster'): Row => ({
  kind,
  short: [short],
  versions: ['v1alpha2'],
  ...(scope && { scope }),
})

const groups: readonly Kinds[] = [
  {
    group: 'resources.gardener.cloud',
    isNeeded: always,
    rows: [{ kind: 'ManagedResource', short: ['mr'], versions: ['v1alpha1'], status: true }],
  },
  {
    group: 'druid.gardener.cloud',
    isNeeded: always,
    rows: [
      { kind: 'Etcd', versions: ['v1alpha1'], status: true, scale: etcdScale },
      { kind: 'EtcdCopyBackupsTask', versions: ['v1alpha1'], status: true },
    ],
  },
  {
    group: 'autoscaling.k8s.io',
    isNeeded: needsVpa,
    rows: [
      { kind: 'VerticalPodAutoscaler', short: ['vpa'], versions: ['v1', 'v1beta2'], status: true },
      { kind: 'VerticalPodAutoscalerCheckpoint', short: ['vpacheckpoint'], versions: ['v1', 'v1beta2'] },
    ],
  },
  {
    group: 'networking.istio.io',
    isNeeded: world => !isMeshForeign(world),
    rows: [
      { kind: 'DestinationRule', short: ['dr'], versions: istioVersions, status: true },
      { kind: 'EnvoyFilter', versions: ['v1alpha3'], status: true },
      { kind: 'Gateway', short: ['gw'], versions: istioVersions, status: true },
      { kind: 'ProxyConfig', versions: ['v1beta1'], status: true },
      { kind: 'ServiceEntry', plural: 'serviceentries', short: ['se'], versions: istioVersions, status: true },
      { kind: 'Sidecar', versions: istioVersions, status: true },
      { kind: 'VirtualService', short: ['vs'], versions: istioVersions, status: true },
      { kind: 'WorkloadEntry', plural: 'workloadentries', short: ['we'], versions: istioVersions, status: true },
      { kind: 'WorkloadGroup', short: ['wg'], versions: istioVersions, status: true },
    ],
  },
  {
    group: 'fluentbit.fluent.io',
    isNeeded: always,
    rows: [
      fluent('FluentBit', 'fb'),
      fluent('FluentBitConfig', 'fbc'),
      fluent('Collector', 'co'),
      fluent('Filter', 'fbf'),
      fluent('Output', 'fbo'),
      fluent('Parser', 'fbp'),
      fluent('MultilineParser', 'fbmp'),
      fluent('ClusterFluentBitConfig', 'cfbc', 'Cluster'),
      fluent('ClusterFilter', 'cfbf', 'Cluster'),
      fluent('ClusterInput', 'cfbi', 'Cluster'),
      fluent('ClusterOutput', 'cfbo', 'Cluster'),
      fluent('ClusterParser', 'cfbp', 'Cluster'),
      fluent('ClusterMultilineParser', 'cfbmp', 'Cluster'),
    ],
  },
]

/** The definitions that this Garden needs and that no other program installs. */
export const gardenCrds = (world: World): readonly KubeObject[] =>
  groups.filter(({ isNeeded }) => isNeeded(world)).flatMap(({ group, rows }) => rows.map(row => crd(group, row)))

/** Kinds whose deletion the resource manager refuses unless it is confirmed. */
const protectedGroups = ['resources.gardener.cloud', 'druid.gardener.cloud']

const crd = (group: string, { kind, plural, short, scope = 'Namespaced', versions, ...row }: Row): KubeObject => {
  const singular = kind.toLowerCase()
  const names = {
    kind,
    singular,
    plural: plural ?? `${singular}s`,
    listKind: `${kind}List`,
    ...(short && { shortNames: short }),
  }
  const isProtected = protectedGroups.includes(group)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group}`,
      labels: { ...ownershipLabel, ...(isProtected && { [protectedLabel]: 'true' }) },
      ...(group.endsWith('.k8s.io') && { annotations: approval }),
    },
    spec: { group, names, scope, versions: versions.map((name, nth) => version(name, nth === 0, row)) },
  }
}

/** The API server requires this annotation for API groups of Kubernetes. */
const approval = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/63797' }

const version = (name: string, storage: boolean, { status, scale }: Pick<Row, 'status' | 'scale'>): JsonMap => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
  ...((status || scale) && { subresources: { ...(status && { status: {} }), ...(scale && { scale }) } }),
})

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
