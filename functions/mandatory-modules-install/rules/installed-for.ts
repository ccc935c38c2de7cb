// Which Kymas get mandatory modules.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isOfAnother, isOn } from '../../../shared/kyma/labels.ts'
import { nameFault } from '../../../shared/kyma/runtime-identity.ts'

export const isInstalledFor = (kyma: Kyma): boolean =>
  !isDeleting(kyma) &&
  !isOfAnother(kyma) &&
  !isOn(kyma, kymaNames.labels.skipReconciliation) &&
  nameFault(kyma) === undefined
