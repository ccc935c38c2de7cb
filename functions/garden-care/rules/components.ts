// The components that each condition of a Garden checks.
import { gardenNamespace as namespace } from '../../../shared/api/garden.ts'
import { keepsLogs } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { World } from '../world.ts'
import type { Listed } from './managed-resources.ts'

type OfGarden = Pick<World, 'garden'>

const istioNamespace = 'istio-system'
const inGarden = (...names: readonly string[]): Listed[] => names.map(name => ({ namespace, name }))
const onBothSides = (...names: readonly string[]): Listed[] =>
  inGarden(...names.flatMap(name => [`${name}-runtime`, `${name}-virtual`]))

/** `istiod`: the Deployment in namespace istio-system, if it exists. */
export const runtimeManagedResources = (
  { garden }: Pick<World, 'garden'>,
  istiod: KubeObject | undefined,
): Listed[] => [
  ...inGarden('etcd-druid', 'garden-system'),
  ...(isForeign(istiod) ? [] : [{ namespace: istioNamespace, name: 'istio-system' }]),
  { namespace: istioNamespace, name: 'virtual-garden-istio' },
  ...(garden.spec.runtimeCluster.settings?.verticalPodAutoscaler?.enabled === false ? [] : inGarden('vpa')),
  { namespace, name: 'nginx-ingress', isOptional: true },
]

/** Whether the istiod is foreign: neither garden-reconcile nor a ManagedResource deployed it. */
const isForeign = (istiod: KubeObject | undefined): boolean => {
  if (!istiod) return false
  const { labels = {}, annotations = {} } = istiod.metadata
  const isOurs = labels['operator.gardener.cloud/managed-by'] === 'garden-reconcile'
  return !isOurs && annotations['resources.gardener.cloud/origin'] === undefined
}

export const virtualEtcds = ['virtual-garden-etcd-main', 'virtual-garden-etcd-events']

export const virtualDeployments = [
  'virtual-garden-gardener-resource-manager',
  'virtual-garden-kube-apiserver',
  'virtual-garden-kube-controller-manager',
]

export const virtualManagedResources: readonly Listed[] = [
  ...inGarden(
    'shoot-core-kube-controller-manager',
    'shoot-core-gardener-resource-manager',
    'shoot-core-gardeneraccess',
    'garden-system-virtual',
  ),
  ...onBothSides(
    'gardener-apiserver',
    'gardener-admission-controller',
    'gardener-controller-manager',
    'gardener-scheduler',
  ),
]

export const observabilityDeployments = [
  'plutono',
  'kube-state-metrics',
  'gardener-metrics-exporter',
  'fluent-operator',
]

export const observabilityStatefulSets = ({ garden }: OfGarden): readonly string[] =>
  keepsLogs(garden) ? ['vali'] : []

export const observabilityManagedResources = (world: OfGarden): readonly Listed[] => [
  ...inGarden(...observabilityStatefulSets(world)),
  ...inGarden('fluent-operator', 'fluent-bit', 'fluent-operator-custom-resources-garden'),
  ...inGarden('kube-state-metrics', 'plutono'),
  ...onBothSides('gardener-metrics-exporter'),
]
