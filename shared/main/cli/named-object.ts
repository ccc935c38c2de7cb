// The arguments KIND NAME of a command, and the object with this kind and name.
import { groupResourceOf, type KubeObject, type ObjectRef, refText } from '../../core/objects/object.ts'
import type { Link } from '../../runtime/why/chain.ts'
import { type Given, UsageFault } from './command.ts'
import { isOfOurKinds, kindServed } from './kinds.ts'
import type { ReadingProcess } from './reading-process.ts'

/** Rejects with the expected usage unless there are two words and the cluster knows the kind. */
export const refGiven = async ({ words }: Given, reading: ReadingProcess): Promise<ObjectRef> => {
  const [word, name, ...others] = words
  if (word === undefined || name === undefined || others.length > 0)
    throw new UsageFault(`expected KIND NAME, found ${words.length === 0 ? 'nothing' : words.join(' ')}`)
  const kind = await kindServed(word, reading)
  return { ...kind, name, namespace: await reading.namespaceOf(kind) }
}

/** The object as it is stored. */
export const objectGiven = async (given: Given, reading: ReadingProcess): Promise<KubeObject> => {
  const ref = await refGiven(given, reading)
  const object = await reading.local.get(ref, { withManagedFields: true })
  if (object) return object
  throw new UsageFault(notFoundText(ref))
}

export const notFoundText = (ref: ObjectRef): string => {
  const place = ref.namespace === '' ? '' : `; -n names another namespace than ${ref.namespace}`
  const lists = isOfOurKinds(ref) ? 'espalier get' : `kubectl get ${groupResourceOf(ref).resource}`
  return `${refText(ref)} does not exist; list objects with ${lists}${place}`
}

/** Throws if the object does not exist or cannot be read, because its chain then has no other content. */
export const refuseUnread = (ref: ObjectRef, { is, says }: Link): void => {
  if (is === 'missing') throw new UsageFault(notFoundText(ref))
  if (is === 'unknown') throw new UsageFault(`${refText(ref)} ${says.join('; ')}`)
}

/** The command for the same object. Example: `espalier why component shop -n shop` */
export const commandFor = (command: string, { kind, metadata: { name, namespace } }: KubeObject): string =>
  ['espalier', command, kind.toLowerCase(), name, ...(namespace ? ['-n', namespace] : [])].join(' ')
