// The components that each condition of a Garden checks, and how ManagedResources are checked: they exist, are applied, healthy and not
// progressing.
import { gardenNamespace as namespace } from '../../../shared/api/garden.ts'
import { keepsLogs } from '../../../shared/core/objects/garden.ts'
import { type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import { type HealthFault, managedResourceMissing, managedResourceSilent, statusOutdated } from '../reasons.ts'
import type { World } from '../world.ts'

/** `isOptional`: the ManagedResource may be absent, but must be healthy if it exists. */
export type Listed = { readonly namespace: string; readonly name: string; readonly isOptional?: true }

/** The label that assigns a ManagedResource to a condition, whoever created the ManagedResource. */
const conditionLabel = 'care.gardener.cloud/condition-type'

/** Checks the listed ManagedResources, then ManagedResources with the condition's label. Returns the first fault. */
export const managedResourceFault = (
  { condition, listed }: { condition: string; listed: readonly Listed[] },
  stored: readonly KubeObject[],
): HealthFault | undefined => {
  const byPlace = new Map(stored.map(one => [keyText(keyOf(one)), one]))
  const labelled = stored.filter(({ metadata }) => metadata.labels?.[conditionLabel] === condition).map(keyOf)
  for (const wanted of [...listed, ...labelled]) {
    const found = byPlace.get(keyText(wanted))
    const fault = found ? faultOf(found as ManagedResource) : absence(wanted)
    if (fault) return fault
  }
  return undefined
}

const absence = (wanted: Listed): HealthFault | undefined =>
  wanted.isOptional ? undefined : managedResourceMissing(keyText(wanted))

type ManagedResource = KubeObject & {
  status?: { observedGeneration?: number; conditions?: readonly Condition[] }
}
type Condition = { type: string; status: string; reason?: string; message?: string }

/** Required conditions with the statuses that are faults. ResourcesApplied may be Progressing during a deletion. */
const faulty: Readonly<Record<string, readonly string[]>> = {
  ResourcesApplied: ['False', 'Unknown'],
  ResourcesHealthy: ['False', 'Unknown'],
  ResourcesProgressing: ['True', 'Unknown'],
}

const faultOf = (resource: ManagedResource): HealthFault | undefined => {
  const { metadata, status = {} } = resource
  const conditions = status.conditions ?? []
  if (metadata.generation !== status.observedGeneration)
    return (
      applyFailure(conditions) ??
      statusOutdated(keyText(keyOf(resource)), status.observedGeneration ?? 0, metadata.generation ?? 0)
    )
  const required = Object.entries(faulty).map(([type, faults]) => ({
    type,
    faults,
    condition: conditions.find(condition => condition.type === type),
  }))
  const failing = required.find(({ condition, faults }) => condition && faults.includes(condition.status))?.condition
  if (failing) return { reason: failing.reason ?? failing.type, message: failing.message ?? '' }
  const missing = required.flatMap(({ type, condition }) => (condition ? [] : [type]))
  return missing.length > 0 ? managedResourceSilent(metadata.name, missing) : undefined
}

/** Checked before an outdated status, because this fault explains why the new generation was not applied. */
const applyFailure = (conditions: readonly Condition[]): HealthFault | undefined => {
  const applied = conditions.find(({ type }) => type === 'ResourcesApplied')
  return applied?.status === 'False' && applied.reason === 'ApplyFailed'
    ? { reason: applied.reason, message: applied.message ?? '' }
    : undefined
}

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
