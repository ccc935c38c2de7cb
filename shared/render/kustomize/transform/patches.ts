// Patches: strategic merge or JSON patch, inline or from a file, with a target or with the name of the object.
import { recovered, rethrown } from '../../../core/decisions/reading.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { JsonPatchError, jsonPatched } from '../../../core/json/json-patch.ts'
import { apiVersionOf } from '../../../core/objects/object.ts'
import { RenderError, withoutPlace } from '../../generator.ts'
import type { Patch, Selector } from '../files/arguments.ts'
import { type Folder, fromFile } from '../files/folder.ts'
import { parsed } from '../files/kustomization.ts'
import { type SchemaOfKind, strategicMerged } from '../merge/merge.ts'
import type { Schemas } from '../merge/schemas.ts'
import { gvkOf, identityKey, type Resource, resourcesIn, settleTwins } from '../resource.ts'
import { refuseTwins, selected, theOne } from '../resources.ts'
import type { Transform } from './transformers.ts'

export type Patching = { readonly schemas: Schemas; readonly folder: Folder }

type Allowed = { readonly name: boolean; readonly kind: boolean }
const nothingAllowed: Allowed = { name: false, kind: false }

export const patching = (patch: Patch, { schemas, folder }: Patching): Transform =>
  fromText(patch, folder, text => eitherPatch(text, patch, schemas))

const eitherPatch = (text: string, patch: Patch, schemas: Schemas): Transform => {
  const [merges, operations] = [
    attempt(() => resourcesIn(text, schemas.isClusterScoped)),
    attempt(() => operationsIn(text)),
  ]
  if (merges.value?.length && operations.value?.length)
    throw new RenderError(`qualifies as both a strategic merge and a JSON patch: ${excerpt(text)}`)
  if (merges.value === undefined && operations.value === undefined)
    throw new RenderError(
      `unable to parse a strategic merge or JSON patch from ${excerpt(text)}: ${merges.fault?.message}`,
      { blame: merges.fault?.blame },
    )
  if (!merges.value?.length) return targetedJsonPatch(operations.value ?? [], patch.target)
  const { allowNameChange = false, allowKindChange = false } = patch.options ?? {}
  const patches =
    allowNameChange || allowKindChange ? merges.value.map(patch => inTexts(patch, 'annotations')) : merges.value
  return mergingAll(patches, patch.target, { name: allowNameChange, kind: allowKindChange }, schemas)
}

/** kustomize turns nulls in these maps of a patch into text, and drops a map that is null. */
const inTexts = (patch: Resource, ...maps: readonly ('labels' | 'annotations')[]): Resource => {
  for (const map of maps) patch.setTexts(map, patch.texts(map))
  return patch
}

const fromText = <Result>({ patch = '', path = '' }: Patch, folder: Folder, use: (text: string) => Result): Result => {
  const inline = patch.trim()
  if (inline === '' && path === '') throw new RenderError('a patch must have either patch or path')
  if (inline !== '' && path !== '') throw new RenderError(`patch and path can't be set at the same time: ${path}`)
  return inline ? withoutPlace(() => use(inline)) : fromFile({ folder, path, kind: 'resource' }, use)
}

type Attempt<Value> = { readonly value?: Value; readonly fault?: RenderError }

const attempt = <Value>(read: () => Value): Attempt<Value> =>
  recovered<Attempt<Value>, RenderError, Attempt<Value>>(
    RenderError,
    () => ({ value: read() }),
    fault => ({ fault }),
  )

const excerpt = (text: string): string => JSON.stringify(text.slice(0, 200))

const mergingAll =
  (patches: readonly Resource[], target: Selector | undefined, allowed: Allowed, schemas: Schemas): Transform =>
  resources => {
    if (target !== undefined && patches.length > 1)
      throw new RenderError('several strategic merge patches in one entry cannot have a target')
    const [only] = patches
    if (target !== undefined && only !== undefined)
      return mergedInto(resources, selected(resources, target), only, allowed, schemas)
    for (const patch of patches) merge(theOne(resources, patch.original), patch, allowed, schemas)
    return resources
  }

const mergedInto = (
  resources: readonly Resource[],
  chosen: readonly Resource[],
  patch: Resource,
  allowed: Allowed,
  schemas: Schemas,
): readonly Resource[] => {
  const keys = new Set(chosen.map(({ current }) => identityKey(current)))
  const written = inTexts(patch, 'labels', 'annotations')
  for (const resource of resources.filter(({ current }) => keys.has(identityKey(current))))
    merge(resource, written, allowed, schemas)
  const rest = resources.filter(({ isEmpty }) => !isEmpty)
  refuseTwins(rest)
  return rest
}

/** The object keeps name, namespace and kind, unless the patch may change them. */
const merge = (resource: Resource, patch: Resource, allowed: Allowed, schemas: Schemas): void => {
  if (resource.object === undefined) return
  const { kind, name, namespace } = resource
  if (allowed.name || allowed.kind) resource.rememberIdentity()
  const copy = structuredClone(patch.fields)
  copy.apiVersion = apiVersionOf(gvkOf(resource.fields))
  const schemaOf: SchemaOfKind = (apiVersion, kind) => schemas.ofKind(apiVersion, kind)
  resource.object = strategicMerged(resource.object, copy, schemaOf)
  settleTwins(resource)
  if (resource.isEmpty) return
  if (!allowed.kind) resource.fields.kind = kind
  if (!allowed.name) resource.setMetadata('name', name)
  resource.setMetadata('namespace', namespace || undefined)
}

const targetedJsonPatch =
  (operations: readonly unknown[], target: Selector | undefined): Transform =>
  resources => {
    if (target === undefined) throw new RenderError('a JSON patch must have a target')
    for (const resource of selected(resources, target)) {
      resource.rememberIdentity()
      applyJsonPatch(resource, operations)
    }
    return resources
  }

/** The transformer for an entry of the older field `patchesJson6902`. */
export const patchingJson = ({ target, path, patch = '' }: Patch, { folder }: Pick<Patching, 'folder'>): Transform => {
  if (!target?.name) throw new RenderError('a JSON patch must specify the name of its target')
  const operations = fromText({ path, patch }, folder, operationsIn)
  if (operations.length === 0) throw new RenderError(`patch appears to be empty: ${path || excerpt(patch)}`)
  return resources => {
    for (const resource of selected(resources, target)) applyJsonPatch(resource, operations)
    return resources
  }
}

/** Limit for the text of a patched object: each patch can double its size. */
const charactersMost = 20 * 2 ** 20

/** kustomize always adds annotations of its own before a patch, so a JSON patch may assume that `annotations` exists. */
const applyJsonPatch = (resource: Resource, operations: readonly unknown[]): void => {
  const isRemembered = resource.former.length > 0 || resource.needsHash || resource.prefixes.length > 0
  if (isRemembered && !isMap(metadataOf(resource).annotations)) resource.setMetadata('annotations', {})
  const text = JSON.stringify(resource.fields, withNulls)
  if (text.length > charactersMost) throw new RenderError(`a patched object has more than ${charactersMost} characters`)
  const patched = rethrown(
    JsonPatchError,
    () => jsonPatched(JSON.parse(text), operations),
    ({ message }) => new RenderError(message),
  )
  if (!isMap(patched)) throw new RenderError('the result of a JSON patch must be an object')
  resource.object = patched
  resource.twins = []
}

const metadataOf = ({ fields }: Resource): JsonMap => mapOrEmpty(fields.metadata)

const withNulls = (_key: string, value: unknown): unknown => (value === undefined ? null : value)

const operationsIn = (text: string): unknown[] => {
  const operations = text.startsWith('[') ? fromJson(text) : parsed(text, 'patch')
  if (operations === null) return []
  if (!Array.isArray(operations) || !operations.every(isMap))
    throw new RenderError('a JSON patch must be a list of operations')
  return operations
}

/** A text that begins like JSON must be JSON. */
const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new RenderError(`a JSON patch that begins with [ must be JSON: ${excerpt(text)}`)
  }
}

/** The transformer for the older field `patchesStrategicMerge`. Each entry is a patch or the path of a patch. */
export const patchingByName = (entries: readonly string[], { schemas, folder }: Patching): Transform => {
  const resources = (text: string) => resourcesIn(text, schemas.isClusterScoped)
  const patches = entries.flatMap(path => {
    const inline = attempt(() => resources(path))
    return inline.value ?? fromFile({ folder, path, kind: 'resource' }, resources)
  })
  if (patches.length === 0) throw new RenderError(`patch appears to be empty: ${entries.join(', ')}`)
  return resources =>
    patches.reduce<readonly Resource[]>(
      (list, patch) => mergedInto(list, [theOne(list, patch.original)], patch, nothingAllowed, schemas),
      resources,
    )
}
