// What holds objects in deletion, by their finalizers and conditions. A removal may wait for it for ever, so messages name it.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'

/** `Namespace istio-system (Some content in the namespace has finalizers remaining: …)`; undefined: the object is not being deleted. */
export const heldText = (object: KubeObject): string | undefined => {
  if (!isDeleting(object)) return undefined
  const holding = mapsIn(mapOrEmpty(object.status).conditions).filter(({ status }) => status === 'True')
  const [condition] = holdingConditions.flatMap(name => holding.filter(({ type }) => type === name))
  const { finalizers = [] } = object.metadata
  const why = condition ? String(condition.message) : finalizers.length > 0 && `finalizers ${finalizers.join(' ')}`
  return why ? `${refText(refOf(object))} (${why})` : refText(refOf(object))
}

/** Conditions of Namespaces and CustomResourceDefinitions that say what holds them, the most precise first. */
const holdingConditions = ['NamespaceFinalizersRemaining', 'NamespaceContentRemaining', 'Terminating']
