// A Manifest that nobody wants any more though nobody deleted it: it says so, and nothing is done.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { isOn } from '../../../shared/kyma/labels.ts'
import { orphaned } from '../reasons.ts'

/** Its Kyma may not have said yet that it made it. */
const youngSeconds = 300

/** Why it is one; undefined: it is wanted, going, or too young to tell. A mandatory module stands in no Kyma's status. */
export const orphanFault = (manifest: Manifest, kyma: Kyma | undefined, now: Date): string | undefined => {
  const { labels } = kymaNames
  const { name, creationTimestamp = '', labels: own } = manifest.metadata
  if (isDeleting(manifest) || isOn(manifest, labels.mandatoryModule)) return undefined
  const ageSeconds = (now.getTime() - Date.parse(creationTimestamp)) / 1000
  if (ageSeconds < youngSeconds) return undefined
  if (!kyma) return orphaned(`there is no Kyma ${own?.[labels.kymaName] ?? 'named'}`)
  if (isDeleting(kyma) || isNamed(name, kyma)) return undefined
  return orphaned(`Kyma ${kyma.metadata.name} does not name it`)
}

const isNamed = (name: string, { status }: Kyma): boolean =>
  status?.modules?.some(({ manifest }) => manifest?.metadata?.name === name) ?? false

/** Its status says so now. */
export const isOrphanReported = ({ status }: Manifest): boolean =>
  status?.lastOperation?.operation?.startsWith(orphaned('')) ?? false
