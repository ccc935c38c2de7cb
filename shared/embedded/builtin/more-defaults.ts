// Defaults of kinds that have nothing else special about them.
import type { KubeObject } from '../../core/object.ts'
import { each, ensured, orElse } from './draft.ts'

export const networkPolicyDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  for (const rule of [...each(spec, 'ingress'), ...each(spec, 'egress')])
    for (const port of each(rule, 'ports')) orElse(port, 'protocol', 'TCP')
  orElse(spec, 'policyTypes', each(spec, 'egress').length ? ['Ingress', 'Egress'] : ['Ingress'])
}

const halfLoad = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}

export const autoscalerDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  orElse(spec, 'minReplicas', 1)
  if (draft.apiVersion === 'autoscaling/v2') orElse(spec, 'metrics', [structuredClone(halfLoad)])
  else orElse(spec, 'targetCPUUtilizationPercentage', 80)
}

const claimProtection = 'kubernetes.io/pvc-protection'
const volumeProtection = 'kubernetes.io/pv-protection'

export const claimDefaults = (draft: KubeObject): void => orElse(ensured(draft, 'spec'), 'volumeMode', 'Filesystem')

export const volumeDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  orElse(spec, 'volumeMode', 'Filesystem')
  orElse(spec, 'persistentVolumeReclaimPolicy', 'Retain')
}

const protectedBy =
  (finalizer: string) =>
  (draft: KubeObject): void => {
    draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizer])]
    draft.status = { phase: 'Pending' }
  }

export const onClaimCreate = protectedBy(claimProtection)
export const onVolumeCreate = protectedBy(volumeProtection)
