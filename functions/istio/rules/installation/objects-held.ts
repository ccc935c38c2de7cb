// What holds objects that are being deleted, as their finalizers and Kubernetes itself say: a removal may stand still for it for ever.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../../shared/core/object.ts'

/** `Namespace istio-system (Some content in the namespace has finalizers remaining: …)`; undefined: it is not being deleted. */
export const heldText = (object: KubeObject): string | undefined => {
  if (!isDeleting(object)) return undefined
  const told = mapsIn(mapOrEmpty(object.status).conditions).filter(({ status }) => status === 'True')
  const [condition] = conditionsTelling.flatMap(name => told.filter(({ type }) => type === name))
  const { finalizers = [] } = object.metadata
  const why = condition ? String(condition.message) : finalizers.length > 0 && `finalizers ${finalizers.join(' ')}`
  return why ? `${refText(refOf(object))} (${why})` : refText(refOf(object))
}

/** Of namespaces and definitions; the first tells most. */
const conditionsTelling = ['NamespaceFinalizersRemaining', 'NamespaceContentRemaining', 'Terminating']
