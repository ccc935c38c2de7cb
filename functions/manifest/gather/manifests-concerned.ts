// Finds the Manifests to call when an access Secret or a Kyma changes.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isLabelValue } from '../../../shared/core/objects/dns-name.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import { isOn, kymaNameOf, type Manifest } from '../../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { isOrphanReported } from '../rules/sharers.ts'

const { labels } = kymaNames

/**
 * An access Secret calls all Manifests of its Kyma. A Kyma calls two groups: reported orphans, because its status may list them now, and
 * Manifests with label skip-reconciliation, because the label does not count while the Kyma is being deleted.
 */
export const manifestsConcerned = async (object: KubeObject, { reads }: GatherContext): Promise<Key[]> => {
  const isKyma = object.kind === kymaKind.kind
  const name = isKyma ? object.metadata.name : kymaNameOf(object)
  if (!isLabelValue(name)) return []
  const { namespace } = object.metadata
  const manifests = await reads.list({ ...manifestKind, namespace, labelSelector: `${labels.kymaName}=${name}` })
  const isMeant = (manifest: KubeObject) =>
    !isKyma || isOrphanReported(manifest as Manifest) || isOn(manifest, labels.skipReconciliation)
  return manifests.filter(isMeant).map(keyOf)
}
