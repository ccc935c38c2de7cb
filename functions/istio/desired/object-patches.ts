// Changes of a chart's rendered objects: a table turns the `k8s` settings of a component into patches, and overlays set single values.
import { own, valueAt, withField } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { strategicMerged } from '../../../shared/render/kustomize/merge/merge.ts'
import { Schemas } from '../../../shared/render/kustomize/merge/schemas.ts'

/** The workload of a component. Objects of other kinds to patch have the same name. */
export type PatchTarget = { readonly kind: string; readonly name: string; readonly container: string }

export type ObjectPatch = {
  readonly kind: string
  readonly name: string
  /** The container to patch in the workload's Pods. Absent: the object is patched. */
  readonly container?: string
  readonly patch: JsonMap
}

/** Values to set in an object. Dots separate fields of a path; `\.` is a dot within a field name. null removes the field. */
export type Overlay = {
  readonly kind: string
  readonly name: string
  readonly patches: readonly { readonly path: string; readonly value: unknown }[]
}

type Row = { readonly field: string; readonly patch: (value: unknown, target: PatchTarget) => ObjectPatch }

/** Ignores settings that the table lacks. */
export const patchesFor = (k8s: JsonMap, target: PatchTarget): readonly ObjectPatch[] =>
  rows.flatMap(({ field, patch }) => {
    const value = own(k8s, field)
    return value === undefined || value === null ? [] : [patch(value, target)]
  })

const inWorkload = (spec: (value: unknown) => JsonMap): Row['patch'] => {
  return (value, { kind, name }) => ({ kind, name, patch: { spec: spec(value) } })
}
const inPods = (template: (value: unknown) => JsonMap) => inWorkload(value => ({ template: template(value) }))

const inContainer = (field: string): Row => ({
  field,
  patch: (value, target) => ({ ...target, patch: { [field]: value } }),
})

const inSpecOf = (kind: string, field: string, spec: (value: unknown) => unknown = value => value): Row => ({
  field,
  patch: (value, { name }) => ({ kind, name, patch: { spec: spec(value) } }),
})

/** A PodDisruptionBudget must not have both maxUnavailable and minAvailable. */
const budget = (value: unknown): unknown =>
  isMap(value) && value.maxUnavailable !== undefined ? { ...value, minAvailable: null } : value

const rows: readonly Row[] = [
  { field: 'affinity', patch: inPods(affinity => ({ spec: { affinity } })) },
  { field: 'securityContext', patch: inPods(securityContext => ({ spec: { securityContext } })) },
  inContainer('env'),
  inContainer('resources'),
  { field: 'podAnnotations', patch: inPods(annotations => ({ metadata: { annotations } })) },
  { field: 'strategy', patch: inWorkload(strategy => ({ strategy })) },
  inSpecOf('HorizontalPodAutoscaler', 'hpaSpec'),
  inSpecOf('PodDisruptionBudget', 'podDisruptionBudget', budget),
  {
    field: 'serviceAnnotations',
    patch: (annotations, { name }) => ({ kind: 'Service', name, patch: { metadata: { annotations } } }),
  },
]

type Patched = {
  readonly objects: readonly KubeObject[]
  /** A sentence for each change without effect. A change has no effect if its object is not rendered or lacks the path. */
  readonly missed: readonly string[]
}

export const patchedObjects = (
  objects: readonly KubeObject[],
  { patches, overlays }: { readonly patches: readonly ObjectPatch[]; readonly overlays: readonly Overlay[] },
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
