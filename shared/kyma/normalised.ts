// The normal forms of component descriptors: the text that is signed. What may change after signing, such as where a component lies,
// is left out of it.
import { canonicalJson, isMap, type JsonMap, mapOrEmpty, mapsIn } from '../core/json.ts'

/** The text of a descriptor; undefined for an algorithm that is not known. */
export const normalisedText = (document: JsonMap, algorithm: string): string | undefined =>
  Object.hasOwn(algorithms, algorithm) ? algorithms[algorithm]?.(document) : undefined

const algorithms: Readonly<Record<string, (document: JsonMap) => string>> = {
  'jsonNormalisation/v1': document => JSON.stringify(entries(firstForm(document))),
  'jsonNormalisation/v2': document => canonicalJson(laterForm(document, { tellsVersionsApart: true })),
  'jsonNormalisation/v3': document => canonicalJson(laterForm(document, { tellsVersionsApart: false })),
  'jsonNormalisation/v4alpha1': document => canonicalJson(laterForm(document, { tellsVersionsApart: false })),
}

const firstForm = (document: JsonMap): JsonMap => {
  const { signatures, nestedDigests, component, ...rest } = document
  const { repositoryContexts, sources, resources, componentReferences, ...own } = signed(mapOrEmpty(component))
  const named = (item: JsonMap): JsonMap => ({ extraIdentity: null, ...item })
  return {
    ...rest,
    component: {
      ...own,
      ...(resources !== undefined && { resources: mapsIn(resources).map(signedResource).map(named) }),
      ...(componentReferences !== undefined && {
        componentReferences: mapsIn(componentReferences).map(signed).map(named),
      }),
    },
  }
}

const laterForm = ({ component }: JsonMap, { tellsVersionsApart }: { tellsVersionsApart: boolean }): JsonMap => {
  const { repositoryContexts, sources, resources, componentReferences, provider, ...own } = signed(
    mapOrEmpty(component),
  )
  const told = (items: readonly JsonMap[]): readonly JsonMap[] => (tellsVersionsApart ? versionsApart(items) : items)
  return {
    component: {
      ...own,
      provider: isMap(provider) ? signed(provider) : { name: provider },
      resources: told(mapsIn(resources).map(signedResource)),
      sources: told(mapsIn(sources).map(({ access: _, ...source }) => signed(source))),
      references: told(mapsIn(componentReferences).map(signed)),
    },
  }
}

/** Where a resource lies is not signed; what lies nowhere has no digest either. */
const signedResource = ({ access, srcRefs, digest, ...resource }: JsonMap): JsonMap => ({
  ...signed(resource),
  ...(digest !== undefined && mapOrEmpty(access).type !== 'none' && { digest }),
})

/** With the labels that are to be signed, and of them what is said in all forms. */
const signed = ({ labels, ...item }: JsonMap): JsonMap => {
  const kept = mapsIn(labels)
    .filter(({ signing }) => signing === true)
    .map(({ name, version, value, signing }) => ({ name, ...(version !== undefined && { version }), value, signing }))
  return kept.length === 0 ? item : { ...item, labels: kept }
}

/** Items of one name and extraIdentity are told apart by their versions. */
const versionsApart = (items: readonly JsonMap[]): readonly JsonMap[] => {
  const identity = ({ name, extraIdentity }: JsonMap) => canonicalJson([name, extraIdentity ?? {}])
  const alike = Map.groupBy(items, identity)
  return items.map(item =>
    (alike.get(identity(item))?.length ?? 0) > 1
      ? { ...item, extraIdentity: { ...mapOrEmpty(item.extraIdentity), version: item.version } }
      : item,
  )
}

/** Each object as a list of objects with one field, sorted by its name. */
const entries = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(entries)
  if (!isMap(value)) return value
  const fields = Object.keys(value).filter(field => value[field] !== undefined)
  return fields.sort().map(field => ({ [field]: entries(value[field]) }))
}
