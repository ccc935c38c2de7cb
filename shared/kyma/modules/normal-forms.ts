// The normal forms of component descriptors: the text to sign. It omits fields that may change later, such as the location of a component.
import { attempted } from '../../core/decisions/reading.ts'
import { canonicalJson, isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../core/json/json.ts'

/** undefined: the algorithm is unknown. */
export const normalisedText = (document: JsonMap, algorithm: string): string | undefined =>
  Object.hasOwn(algorithms, algorithm) ? algorithms[algorithm]?.(document) : undefined

const algorithms: Readonly<Record<string, (document: JsonMap) => string>> = {
  'jsonNormalisation/v1': document => JSON.stringify(entries(firstForm(versionsApart(document)))),
  'jsonNormalisation/v2': document => canonicalJson(laterForm(versionsApart(document))),
  'jsonNormalisation/v3': document => canonicalJson(laterForm(document)),
  'jsonNormalisation/v4alpha1': document => canonicalJson(laterForm(document)),
}

const firstForm = (document: JsonMap): JsonMap => {
  const { signatures, nestedDigests, component, ...rest } = document
  const { repositoryContexts, sources, provider, resources, componentReferences, ...own } = signed(
    mapOrEmpty(component),
  )
  const named = (item: JsonMap): JsonMap => ({ extraIdentity: null, ...item })
  return {
    ...rest,
    component: {
      ...own,
      provider: providerIn(provider) ?? provider,
      ...(resources !== undefined && { resources: mapsIn(resources).map(signedResource).map(named) }),
      ...(componentReferences !== undefined && {
        componentReferences: mapsIn(componentReferences).map(signed).map(named),
      }),
    },
  }
}

/** References keep all their labels, as in the tools that sign. */
const laterForm = ({ component }: JsonMap): JsonMap => {
  const { repositoryContexts, sources, resources, componentReferences, provider, ...own } = signed(
    mapOrEmpty(component),
  )
  return {
    component: {
      ...own,
      provider: providerIn(provider) ?? { name: provider },
      resources: mapsIn(resources).map(signedResource),
      sources: mapsIn(sources).map(({ access: _, ...source }) => signed(source)),
      componentReferences: mapsIn(componentReferences),
    },
  }
}

/** A provider with labels is an object, or the JSON text of an object. */
const providerIn = (provider: unknown): JsonMap | undefined => {
  const reading = isText(provider) ? attempted((): unknown => JSON.parse(provider)) : { read: provider }
  return 'read' in reading && isMap(reading.read) ? signed(reading.read) : undefined
}

/** The location of a resource is not signed. A resource without a location (access type `none`) has no signed digest either. */
const signedResource = ({ access, srcRefs, digest, ...resource }: JsonMap): JsonMap => ({
  ...signed(resource),
  ...(digest !== undefined && !liesNowhere.has(mapOrEmpty(access).type) && { digest }),
})

const liesNowhere = new Set<unknown>(['none', 'None'])

/** Keeps only labels with `signing: true`, and only the fields of a label that exist in all versions of the descriptor format. */
const signed = ({ labels, ...item }: JsonMap): JsonMap => {
  const kept = mapsIn(labels)
    .filter(({ signing }) => signing === true)
    .map(({ name, version, value, signing }) => ({ name, ...(version !== undefined && { version }), value, signing }))
  return kept.length === 0 ? item : { ...item, labels: kept }
}

/** Of resources with the same name and extraIdentity, all except the last get their version as an additional field of extraIdentity. */
const versionsApart = (document: JsonMap): JsonMap => {
  const component = mapOrEmpty(document.component)
  if (component.resources === undefined) return document
  const resources = mapsIn(component.resources)
  const identities = resources.map(({ name, extraIdentity }) => canonicalJson([name, extraIdentity ?? {}]))
  const distinct = resources.map((resource, at) =>
    identities.includes(identities[at] ?? '', at + 1)
      ? { ...resource, extraIdentity: { ...mapOrEmpty(resource.extraIdentity), version: resource.version } }
      : resource,
  )
  return { ...document, component: { ...component, resources: distinct } }
}

/** Turns each object into a list of objects with one field, sorted by the field's name. */
const entries = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(entries)
  if (!isMap(value)) return value
  const fields = Object.keys(value).filter(field => value[field] !== undefined)
  return fields.sort().map(field => ({ [field]: entries(value[field]) }))
}
