// Whom the copy in a runtime belongs to. Two Kymas may have one runtime, but only in namespaces of their own: they would undo each other's
// writes for ever.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/label.ts'
import { type Key, type KubeObject, keyText } from '../core/objects/object.ts'

/** The other Kyma of this namespace that the copy names; undefined: it names this one, or none that can have a runtime. */
export const rivalNamed = (copy: KubeObject | undefined, kyma: Key): Key | undefined => {
  const note = copy?.metadata.annotations?.[kymaNames.annotations.ownedBy]
  if (note === undefined || note === keyText(kyma)) return undefined
  const [namespace = '', name = ''] = note.split('/')
  return namespace === kyma.namespace && name !== '' && isLabelValue(name) ? { namespace, name } : undefined
}

/** Two Kymas may have one runtime only where each has a namespace there. */
export const runtimeTaken = (rival: Key): string =>
  `the copy of the Kyma in the runtime belongs to Kyma ${keyText(rival)}, which has the same runtime and namespace`
