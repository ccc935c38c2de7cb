// Defaults of kinds that have nothing else special about them.
import type { KubeObject } from '../../core/objects/object.ts'
import { nowText } from '../time.ts'
import type { JsonMap } from '../value.ts'
import { each, ensured, fill, inner } from './draft.ts'
import { hostPathDefaults } from './pods.ts'

export const networkPolicyDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  for (const rule of [...each(spec, 'ingress'), ...each(spec, 'egress')])
    for (const port of each(rule, 'ports')) fill(port, { protocol: 'TCP' })
  fill(spec, { policyTypes: each(spec, 'egress').length ? ['Ingress', 'Egress'] : ['Ingress'] })
}

const halfLoad = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}

export const autoscalerDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  fill(spec, { minReplicas: 1 })
  if (draft.apiVersion === 'autoscaling/v2') fill(spec, { metrics: [structuredClone(halfLoad)] })
  else fill(spec, { targetCPUUtilizationPercentage: 80 })
  const behavior = inner(spec, 'behavior')
  if (!behavior) return
  const up = ensured(behavior, 'scaleUp')
  fill(up, { stabilizationWindowSeconds: 0 })
  scalingDefaults(up, [byPods, byShare])
  scalingDefaults(ensured(behavior, 'scaleDown'), [byShare])
}

const byPods = { type: 'Pods', value: 4, periodSeconds: 15 }
const byShare = { type: 'Percent', value: 100, periodSeconds: 15 }

const scalingDefaults = (scaling: JsonMap, policies: readonly object[]): void => {
  fill(scaling, { selectPolicy: 'Max', policies: structuredClone(policies) })
}

const claimProtection = 'kubernetes.io/pvc-protection'
const volumeProtection = 'kubernetes.io/pv-protection'

export const claimDefaults = (draft: KubeObject): void => fill(ensured(draft, 'spec'), { volumeMode: 'Filesystem' })

export const volumeDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  fill(spec, { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' })
  hostPathDefaults(spec)
}

const protectedBy =
  (finalizer: string) =>
  (draft: KubeObject): void => {
    draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizer])]
    draft.status = { phase: 'Pending' }
  }

export const onClaimCreate = protectedBy(claimProtection)

export const onVolumeCreate = (draft: KubeObject): void => {
  protectedBy(volumeProtection)(draft)
  draft.status = { phase: 'Pending', lastPhaseTransitionTime: nowText() }
}

/** A missing `default` is taken from `max`; a missing `defaultRequest` from `default`, else from `min`. */
export const limitRangeDefaults = (draft: KubeObject): void => {
  for (const limit of each(inner(draft, 'spec'), 'limits').filter(({ type }) => type === 'Container')) {
    limit.default = { ...inner(limit, 'max'), ...inner(limit, 'default') }
    limit.defaultRequest = { ...inner(limit, 'min'), ...inner(limit, 'default'), ...inner(limit, 'defaultRequest') }
  }
}

export const endpointsDefaults = (draft: KubeObject): void => {
  for (const subset of each(draft, 'subsets')) for (const port of each(subset, 'ports')) fill(port, { protocol: 'TCP' })
}

export const endpointSliceDefaults = (draft: KubeObject): void => {
  for (const port of each(draft, 'ports')) {
    fill(port, { name: '', protocol: 'TCP' })
  }
}

export const ingressClassDefaults = (draft: KubeObject): void => {
  const parameters = inner(inner(draft, 'spec'), 'parameters')
  if (parameters) fill(parameters, { scope: 'Cluster' })
}

export const priorityClassDefaults = (draft: KubeObject): void =>
  fill(draft, { preemptionPolicy: 'PreemptLowerPriority' })

export const storageClassDefaults = (draft: KubeObject): void => {
  fill(draft, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })
}

/** The template's labels become the controller's and its selector. */
export const replicationControllerDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const labels = inner(inner(inner(spec, 'template'), 'metadata'), 'labels')
  if (!labels) return
  fill(spec, { selector: { ...labels } })
  if (Object.keys(draft.metadata.labels ?? {}).length === 0)
    draft.metadata.labels = { ...labels } as Record<string, string>
}
