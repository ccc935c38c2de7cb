// How the engine of shared/component keeps an installation of Istio.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { deleteOrders } from '../../desired/installation/manifests.ts'

export const installationOptions = {
  fieldOwner: istioNames.fieldManagers.operator,
  finalizer: istioNames.finalizer,
  adoptionPolicy: 'Always',
  updatePolicy: 'SsaOverride',
  /** Fields that others set by hand or with Helm become ours; fields that only others set stay. */
  reclaimedManagers: ['helm', 'kubectl-client-side-apply'],
  /** Each call compares all objects, so no object is applied again just because its last apply is long ago. */
  reapplyInterval: '8760h',
  crdFinalizers: false,
  deletePriorities: deleteOrders,
  /** Part blocking looks for resources of users in every call of a deletion. */
  deletionBlockers: 'none',
} as const
