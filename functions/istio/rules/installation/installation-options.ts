// How the engine of shared/component keeps an installation of Istio.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { deleteOrders } from '../../desired/installation/delete-order.ts'

export const installationOptions = {
  fieldOwner: istioNames.fieldManagers.operator,
  finalizer: istioNames.finalizer,
  adoptionPolicy: 'Always',
  updatePolicy: 'SsaOverride',
  /** What others wrote by hand or by Helm becomes ours; what others added stays. */
  reclaimedManagers: ['helm', 'kubectl-client-side-apply'],
  /** Each call compares all objects, so that none is written for its age. */
  reapplyInterval: '8760h',
  crdFinalizers: false,
  deletePriorities: deleteOrders,
  /** Resources of users are looked for before, in every call of a deletion. */
  deletionBlockers: 'none',
} as const
