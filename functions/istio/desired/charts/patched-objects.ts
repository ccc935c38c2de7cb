// Applies the patches and overlays of a chart to its rendered objects.
import { own, valueAt, withField } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { strategicMerged } from '../../../../shared/render/kustomize/merge/merge.ts'
import { Schemas } from '../../../../shared/render/kustomize/merge/schemas.ts'
import type { DesiredChart, Overlay } from './desired-chart.ts'
import type { ObjectPatch } from './object-patches.ts'

type Patched = {
  readonly objects: readonly KubeObject[]
  /** A sentence for each change without effect. A change has no effect if its object is not rendered or lacks the path. */
  readonly missed: readonly string[]
}

export const patchedObjects = (
  objects: readonly KubeObject[],
  { patches, overlays }: Pick<DesiredChart, 'patches' | 'overlays'>,
): Patched => [...patches.map(patching), ...overlays.flatMap(overlaying)].reduce(applied, { objects, missed: [] })

/** `change` returns undefined if the object lacks the path. */
type Change = {
  readonly kind: string
  readonly name: string
  /** What is changed, for messages. */
  readonly subject: string
  readonly change: (object: JsonMap) => JsonMap | undefined
}

const applied = ({ objects, missed }: Patched, { kind, name, subject, change }: Change): Patched => {
  const index = objects.findIndex(object => object.kind === kind && object.metadata.name === name)
  const target = objects[index]
  if (target === undefined)
    return { objects, missed: [...missed, `${kind} ${name} is not rendered, but ${subject} needs it`] }
  const changed = change(target as unknown as JsonMap)
  if (changed === undefined)
    return { objects, missed: [...missed, `${kind} ${name} does not have the field that ${subject} changes`] }
  return { objects: objects.with(index, changed as unknown as KubeObject), missed }
}

const patching = ({ kind, name, container, patch }: ObjectPatch): Change => ({
  kind,
  name,
  subject: container === undefined ? 'a patch' : `a patch of container ${container}`,
  change: object => (container === undefined ? merged(object, patch) : withContainer(object, container, patch)),
})

/**
 * The patch names all containers and variables, because a merge moves named items to the front. A changed order would restart the Pods of
 * an installation that Espalier takes over.
 */
const withContainer = (object: JsonMap, name: string, patch: JsonMap): JsonMap | undefined => {
  const containers = mapsIn(valueAt(object, 'spec', 'template', 'spec', 'containers'))
  if (!containers.some(one => one.name === name)) return undefined
  const named = containers.map(one => (one.name === name ? containerPatch(one, patch) : { name: one.name }))
  return merged(object, { spec: { template: { spec: { containers: named } } } })
}

const containerPatch = ({ name, env: rendered }: JsonMap, { env, ...patch }: JsonMap): JsonMap => ({
  name,
  ...patch,
  ...(env !== undefined && { env: variablesPatch(mapsIn(rendered), mapsIn(env)) }),
})

/** Replaces variables as a whole, because `value` and `valueFrom` exclude each other. */
const variablesPatch = (rendered: readonly JsonMap[], given: readonly JsonMap[]): JsonMap[] => {
  const wanted = new Map(given.map(one => [one.name, one]))
  const names = rendered.map(({ name }) => name)
  return [
    ...rendered.map(one => ({ ...(wanted.has(one.name) && nulls(one)), name: one.name, ...wanted.get(one.name) })),
    ...given.filter(({ name }) => !names.includes(name)),
  ]
}

const nulls = (map: JsonMap): JsonMap => Object.fromEntries(Object.keys(map).map(field => [field, null]))

/** Works on copies, because strategicMerged modifies its arguments. */
const merged = (object: JsonMap, patch: JsonMap): JsonMap | undefined => {
  const schemas = new Schemas()
  return strategicMerged(structuredClone(object), structuredClone(patch), (apiVersion, kind) =>
    schemas.ofKind(apiVersion, kind),
  )
}

const overlaying = ({ kind, name, patches }: Overlay): Change[] =>
  patches.map(({ path, value }) => ({
    kind,
    name,
    subject: `overlay ${path}`,
    change: object => overlaid(object, path, value),
  }))

/** Returns a changed copy with missing maps created. null removes the field. undefined: a value on the path is not a map. */
const overlaid = (object: JsonMap, path: string, value: unknown): JsonMap | undefined =>
  laid(object, fieldsOf(path), value)

/** `['metadata', 'labels', 'a.example/b']` of `metadata.labels.a\.example/b`. */
const fieldsOf = (path: string): string[] => path.split(/(?<!\\)\./).map(field => field.replaceAll('\\.', '.'))

const laid = (map: JsonMap, [field = '', ...rest]: readonly string[], value: unknown): JsonMap | undefined => {
  if (rest.length === 0) return value === null ? without(map, field) : withField(map, field, value)
  const inner = own(map, field) ?? {}
  if (!isMap(inner)) return undefined
  if (value === null && !Object.hasOwn(map, field)) return map
  const changed = laid(inner, rest, value)
  return changed && withField(map, field, changed)
}

const without = (map: JsonMap, field: string): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => key !== field))
