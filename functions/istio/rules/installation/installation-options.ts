// Options of the engine of shared/component for an installation of Istio.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { deleteOrders } from '../../desired/installation/manifests.ts'

export const installationOptions = {
  fieldOwner: istioNames.fieldManagers.operator,
  finalizer: istioNames.finalizer,
  adoptionPolicy: 'Always',
  updatePolicy: 'SsaOverride',
  /** Fields set by hand or with Helm become ours. Fields that only other managers set stay. */
  reclaimedManagers: ['helm', 'kubectl-client-side-apply'],
  /** Effectively never, because each call compares all objects. */
  reapplyInterval: '8760h',
  crdFinalizers: false,
  deletePriorities: deleteOrders,
  /** Part blocking checks for users' resources in every call of a deletion. */
  deletionBlockers: 'none',
} as const
