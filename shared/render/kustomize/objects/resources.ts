// Looks up and adds objects of a build. No two objects may have the same identity.
import { RenderError } from '../../generator.ts'
import { type Identity, identityKey, identityText, isSameIdentity } from './identity.ts'
import type { Resource } from './resource.ts'

export const appended = (resources: readonly Resource[], more: readonly Resource[]): Resource[] => {
  refuseTwins(more, identityKeys(resources))
  return [...resources, ...more]
}

export const identityKeys = (resources: readonly Resource[]): Set<string> =>
  new Set(resources.map(({ current }) => identityKey(current)))

export const refuseTwins = (resources: readonly Resource[], taken = new Set<string>()): void => {
  for (const { current } of resources) {
    const key = identityKey(current)
    if (taken.has(key))
      throw new RenderError(`may not add resource with an already registered id: ${identityText(current)}`)
    taken.add(key)
  }
}

export const everKnownAs = (resources: readonly Resource[], fits: (identity: Identity) => boolean): Resource[] =>
  resources.filter(resource => !resource.isEmpty && resource.identities.some(fits))

export const theOne = (resources: readonly Resource[], identity: Identity): Resource => {
  const [found, another] = everKnownAs(resources, one => isSameIdentity(identity, one))
  if (found === undefined) throw new RenderError(`no resource matches ${identityText(identity)}`)
  if (another !== undefined) throw new RenderError(`multiple resources match ${identityText(identity)}`)
  return found
}

/** Adds a generated object, or, if its behavior says so, replaces the object of the same name or merges into it. */
export const absorbed = (resources: readonly Resource[], made: Resource): Resource[] => {
  const [old, another] = everKnownAs(resources, one => isSameIdentity(made.current, one))
  if (another !== undefined)
    throw new RenderError(`found multiple objects that could accept merge of ${identityText(made.current)}`)
  const isChange = made.behavior === 'merge' || made.behavior === 'replace'
  if (old === undefined) {
    if (isChange) throw new RenderError(`id ${identityText(made.current)} does not exist; cannot merge or replace`)
    return appended(resources, [made])
  }
  if (!isChange) throw new RenderError(`id ${identityText(made.current)} exists; behavior must be merge or replace`)
  return resources.map(one => (one === old ? successor(made, old) : one))
}

/** Keeps name and history of the replaced object. New metadata wins; with `merge`, new data wins too. */
const successor = (made: Resource, old: Resource): Resource => {
  for (const key of ['labels', 'annotations'] as const) made.setTexts(key, { ...old.texts(key), ...made.texts(key) })
  made.setMetadata('name', old.name)
  made.setMetadata('namespace', old.namespace || undefined)
  made.former = old.former
  made.prefixes = old.prefixes
  made.suffixes = old.suffixes
  made.variables = old.variables
  made.needsHash = made.needsHash && old.needsHash
  made.transformations = old.transformations
  made.origin = made.behavior === 'merge' ? (old.origin ?? made.origin) : (made.origin ?? old.origin)
  if (made.behavior === 'merge') mergeData(made, old)
  made.behavior = old.behavior
  return made
}

const mergeData = (made: Resource, old: Resource): void => {
  for (const field of ['data', 'binaryData']) {
    const data = { ...dataOf(old, field), ...dataOf(made, field) }
    if (Object.keys(data).length > 0) made.fields[field] = data
    else delete made.fields[field]
  }
}

const dataOf = (resource: Resource, field: string): object => {
  const data = resource.fields[field]
  return typeof data === 'object' && data !== null ? data : {}
}
