// The status of the copy: the Kyma's status without objects that exist only in the control plane.
import type { Kyma, ModuleStatus } from '../../../shared/kyma/kinds.ts'

type Status = NonNullable<Kyma['status']>

type There = { readonly namespace: string; readonly generation: number }

/** `namespace`: that of the catalogue; `generation`: that of the copy. */
export const copyStatus = (status: Status, { namespace, generation }: There): Status => ({
  ...status,
  ...(status.conditions && {
    conditions: status.conditions.map(condition => ({ ...condition, observedGeneration: generation })),
  }),
  ...(status.modules && { modules: status.modules.map(module => copiedModule(module, namespace)) }),
})

/** Manifests exist only in the control plane. */
const copiedModule = ({ manifest: _, template, ...module }: ModuleStatus, namespace: string): ModuleStatus => ({
  ...module,
  ...(template && { template: { ...template, metadata: { ...template.metadata, namespace } } }),
})
