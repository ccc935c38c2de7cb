// To which Kyma the copy in a runtime belongs. Two Kymas may share a runtime only with different namespaces. Otherwise each Kyma would revert
// the writes of the other.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/label.ts'
import { type Key, type KubeObject, keyText } from '../core/objects/object.ts'

/** The other Kyma in the same namespace that the copy names. undefined: the copy names this Kyma, or no Kyma that can have a runtime. */
export const rivalNamed = (copy: KubeObject | undefined, kyma: Key): Key | undefined => {
  const note = copy?.metadata.annotations?.[kymaNames.annotations.ownedBy]
  if (note === undefined || note === keyText(kyma)) return undefined
  const [namespace = '', name = ''] = note.split('/')
  return namespace === kyma.namespace && name !== '' && isLabelValue(name) ? { namespace, name } : undefined
}

export const runtimeTaken = (rival: Key): string =>
  `Kyma ${keyText(rival)} has the same runtime and namespace, and owns the copy of the Kyma in the runtime`
