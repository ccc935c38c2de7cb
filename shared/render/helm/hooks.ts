// Translates Helm's hooks and resource policies into the engine's annotations `P/…`, where P is the reconciler's name. Hooks become
// dependents in waves before or after all other dependents. Delete hooks run only at the deletion.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Written } from '../documents.ts'
import { blaming, naming, type RenderContext, RenderError } from '../generator.ts'

/** A hook that does not apply gives no dependent. A hook that also runs at the deletion gives two dependents. */
export const withoutHelmAnnotations = (
  objects: readonly KubeObject[],
  places: ReadonlyMap<KubeObject, Written>,
  context: RenderContext,
): KubeObject[] => {
  const placed = objects.map(object => asInList(object, places.get(object)))
  const at = <Result>({ place }: Placed, read: () => Result): Result => {
    const { file, line } = place ?? {}
    return blaming({ kind: 'hook', file, line }, () => naming(`${file}: line ${line}`, read))
  }
  const scale = hookScale(
    placed.filter(({ object }) => isHook(object)).map(hook => at(hook, () => weightOf(hook.object))),
  )
  return placed.flatMap(one => at(one, () => withOwnAnnotations(one.object, scale, context)))
}

type Placed = { readonly object: KubeObject; readonly place: Written | undefined }

/** Helm reads annotations per document, so annotations of a list apply to its items. */
const asInList = (object: KubeObject, place: Written | undefined): Placed => {
  const helms = Object.entries(place?.list ?? {}).filter(([key, value]) => isMapped(key) && typeof value === 'string')
  if (helms.length === 0) return { object, place }
  const annotations = { ...Object.fromEntries(helms), ...object.metadata.annotations } as Annotations
  return { object: { ...object, metadata: { ...object.metadata, annotations } }, place }
}

const withOwnAnnotations = (object: KubeObject, scale: HookScale, context: RenderContext): KubeObject[] => {
  const keep = keepAnnotations(object, context)
  if (!isHook(object)) return [annotated(object, keep)]
  refuseOwnAnnotations(object, context)
  const hook = hookOf(object, scale)
  return [applied(hook, scale, context), atDeletion(hook)].flatMap(own =>
    own ? [annotated(object, { ...keep, ...prefixed(own, context) })] : [],
  )
}

const isHook = ({ metadata: { annotations } }: KubeObject): boolean => annotations?.[keys.hook] !== undefined

const keys = {
  hook: 'helm.sh/hook',
  weight: 'helm.sh/hook-weight',
  deletePolicy: 'helm.sh/hook-delete-policy',
  outputLogPolicy: 'helm.sh/hook-output-log-policy',
  resourcePolicy: 'helm.sh/resource-policy',
} as const

const hookEvents = [
  ...['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'pre-delete', 'post-delete'],
  ...['pre-rollback', 'post-rollback', 'test', 'test-success'],
]
const deletePolicies = ['before-hook-creation', 'hook-succeeded', 'hook-failed']

type Hook = { readonly events: readonly string[]; readonly weight: number; readonly deletePolicies: readonly string[] }

type Annotations = Readonly<Record<string, string>>

const hookOf = (object: KubeObject, scale: HookScale): Hook => {
  const events = known(object, keys.hook, hookEvents)
  if (events.length === 0) throw fault(object, keys.hook, '')
  const policies = known(object, keys.deletePolicy, deletePolicies)
  return {
    events,
    weight: scale.at(weightOf(object)),
    deletePolicies: policies.length > 0 ? policies : ['before-hook-creation'],
  }
}

/** A template may write an empty value, which is null in YAML and counts as absent. */
const writtenAt = ({ metadata: { annotations } }: KubeObject, key: string): string => annotations?.[key] ?? ''

/** The words of a comma-separated annotation. Throws if a word is not in the list. */
const known = (object: KubeObject, key: string, words: readonly string[]): string[] => {
  const found = writtenAt(object, key)
    .split(',')
    .map(word => word.trim().toLowerCase())
    .filter(word => word !== '')
  const unknown = found.find(word => !words.includes(word))
  if (unknown !== undefined) throw fault(object, key, unknown)
  return found
}

const weightOf = (object: KubeObject): number => {
  const text = writtenAt(object, keys.weight) || '0'
  const weight = Number(text)
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(weight)) throw fault(object, keys.weight, text)
  return weight
}

/** Annotations of the hook as a dependent; undefined if the hook does not run in this revision. */
const applied = (
  { events, weight, deletePolicies }: Hook,
  { most }: HookScale,
  { revision }: RenderContext,
): Annotations | undefined => {
  const has = (...wanted: string[]): boolean => wanted.some(event => events.includes(event))
  const [installs, upgrades] = [has('pre-install', 'post-install'), has('pre-upgrade', 'post-upgrade')]
  if (!installs && !(upgrades && revision > 1)) return undefined
  const [isBefore, isAfter] = [has('pre-install', 'pre-upgrade'), has('post-install', 'post-upgrade')]
  return {
    'apply-order': String(isBefore ? weight - most - 1 : weight + most + 1),
    'reconcile-policy': upgrades && revision > 1 ? 'on-object-or-component-change' : 'once',
    ...makingRoom(deletePolicies),
    ...(deletePolicies.includes('hook-succeeded') && { 'purge-order': isAfter ? afterAll(most) : beforeChart }),
  }
}

/** Values of `purge-order`: after the last wave before the chart's own objects, and after the last wave of all. */
const beforeChart = '-1'
const afterAll = (most: number): string => String(2 * most + 1)

/** Unless `hook-succeeded` is the only policy, the old object is deleted when the hook runs again. */
const makingRoom = (deletePolicies: Hook['deletePolicies']): Annotations =>
  isOnly(deletePolicies, 'hook-succeeded') ? {} : { 'update-policy': 'recreate' }

const isOnly = (words: readonly string[], word: string): boolean => words.every(one => one === word)

const atDeletion = ({ events, weight, deletePolicies }: Hook): Annotations | undefined => {
  const moments = ['pre-delete', 'post-delete'].filter(event => events.includes(event))
  if (moments.length === 0) return undefined
  return { 'delete-hook': moments.join(','), 'apply-order': String(weight), ...makingRoom(deletePolicies) }
}

const keepAnnotations = (object: KubeObject, context: RenderContext): Annotations => {
  const text = writtenAt(object, keys.resourcePolicy)
  if (text.trim() === '') return {}
  if (text.trim().toLowerCase() !== 'keep') throw fault(object, keys.resourcePolicy, text)
  return prefixed({ 'delete-policy': 'orphan' }, context)
}

const refuseOwnAnnotations = (object: KubeObject, { reconcilerName }: RenderContext): void => {
  const own = Object.keys(object.metadata.annotations ?? {}).find(key => key.startsWith(`${reconcilerName}/`))
  if (own !== undefined)
    throw new RenderError(`${named(object)}: annotation ${own} cannot be combined with ${keys.hook}`, {
      blame: { kind: 'combination' },
    })
}

const prefixed = (annotations: Annotations, { reconcilerName }: RenderContext): Annotations =>
  Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${reconcilerName}/${key}`, value]))

const annotated = (object: KubeObject, own: Annotations): KubeObject => {
  const { annotations } = object.metadata
  const isHelms = Object.keys(annotations ?? {}).some(isMapped)
  if (!annotations || !isHelms) return object
  const kept = Object.entries(annotations).filter(([key]) => !isMapped(key))
  return { ...object, metadata: { ...object.metadata, annotations: { ...own, ...Object.fromEntries(kept) } } }
}

const isMapped = (key: string): boolean => Object.values<string>(keys).includes(key)

const fault = (object: KubeObject, key: string, text: string): RenderError =>
  new RenderError(`${named(object)}: annotation ${key} has the unknown value ${JSON.stringify(text)}`)

const named = ({ kind, metadata: { name } }: KubeObject): string => `${kind} ${name}`

/** Maps weights of hooks, which are any integers, to orders of waves, which have 16 bits. */
type HookScale = {
  /** All orders lie between -most and most. */
  readonly most: number
  readonly at: (weight: number) => number
}

/** `most` is at least this number, so that another hook with a usual weight leaves all orders the same. */
const usualMost = 100

/** The largest order is `2 * most + 1`, which must fit into 16 signed bits. */
const widest = (32_767 - 1) / 2

/** Weights are used as orders. If a weight is too large, the ranks of the weights are used instead. */
const hookScale = (weights: readonly number[]): HookScale => {
  const most = weights.reduce((so, weight) => Math.max(so, Math.abs(weight)), usualMost)
  if (most <= widest) return { most, at: weight => weight }
  const sorted = [...new Set(weights)].sort((a, b) => a - b)
  const lighter = sorted.filter(weight => weight < 0).length
  const places = new Map(sorted.map((weight, index) => [weight, index - lighter]))
  return { most: Math.max(usualMost, sorted.length), at: weight => places.get(weight) ?? 0 }
}
