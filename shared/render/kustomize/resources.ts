// Looks up, selects, adds and sorts the objects of a build.
import { RE2JS } from 're2js'
import { matchesLabels, parseLabelSelector, type Requirement } from '../../core/objects/label-selector.ts'
import { RenderError } from '../generator.ts'
import { compareText } from '../template/value/bytes.ts'
import type { Selector, SortOptions } from './files/arguments.ts'
import {
  effectiveNamespace,
  type GvkPattern,
  gvkOf,
  type Identity,
  identityKey,
  identityText,
  isSameIdentity,
  isSelected,
  type Resource,
} from './resource.ts'

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

export const selected = (resources: readonly Resource[], selector: Selector): Resource[] => {
  const fits = {
    group: matcher(selector.group),
    version: matcher(selector.version),
    kind: matcher(selector.kind),
    name: matcher(selector.name),
    namespace: matcher(selector.namespace),
  }
  return resources.filter(resource => {
    const { original, current } = resource
    const { group, version, kind } = gvkOf(resource.fields)
    return (
      [original, current].some(identity => fits.namespace(effectiveNamespace(identity))) &&
      [original, current].some(({ name }) => fits.name(name)) &&
      fits.group(group) &&
      fits.version(version) &&
      fits.kind(kind) &&
      hasSelectedTexts(resource, selector)
    )
  })
}

export const hasSelectedTexts = (resource: Resource, { labelSelector, annotationSelector }: Selector): boolean =>
  matchesLabels(requirementsOf(annotationSelector ?? ''), resource.texts('annotations')) &&
  matchesLabels(requirementsOf(labelSelector ?? ''), resource.texts('labels'))

const requirementsOf = (selector: string): Requirement[] => {
  try {
    return parseLabelSelector(selector)
  } catch {
    throw new RenderError(`unable to parse selector ${JSON.stringify(selector)}`)
  }
}

export const isMeant = (identity: Identity, selector: Selector): boolean =>
  (!selector.name || selector.name === identity.name) &&
  (!selector.namespace || selector.namespace === (identity.namespace || 'default')) &&
  isSelected(identity, selector)

const matcher = (pattern: string | undefined): ((text: string) => boolean) => {
  if (!pattern) return () => true
  const expression = compiled(`^(?:${pattern})$`)
  return text => expression.matcher(text).find()
}

/** Uses RE2, which takes linear time, because the pattern comes from the artifact and is not trusted. */
export const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    throw new RenderError(`${JSON.stringify(pattern)} is not a valid regular expression`)
  }
}

type KindOrder = { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] }

const usualOrder: KindOrder = {
  orderFirst: [
    'Namespace',
    'ResourceQuota',
    'StorageClass',
    'CustomResourceDefinition',
    'ServiceAccount',
    'PodSecurityPolicy',
    'Role',
    'ClusterRole',
    'RoleBinding',
    'ClusterRoleBinding',
    'ConfigMap',
    'Secret',
    'Endpoints',
    'Service',
    'LimitRange',
    'PriorityClass',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Deployment',
    'StatefulSet',
    'CronJob',
    'PodDisruptionBudget',
  ],
  orderLast: ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
}

/** Negative for kinds that come first, positive for kinds that come last, 0 for all other kinds. */
const rankOf = ({ orderFirst = [], orderLast = [] }: KindOrder): ((kind: string) => number) => {
  const ranks = new Map([
    ...orderFirst.map((kind, index) => [kind, index - orderFirst.length] as const),
    ...orderLast.map((kind, index) => [kind, index + 1] as const),
  ])
  return kind => ranks.get(kind) ?? 0
}

const kindText = ({ group, version, kind }: GvkPattern): string => `${group || '~G'}_${version || '~V'}_${kind || '~K'}`

const usualRank = rankOf(usualOrder)

export const compareKinds = (left: GvkPattern, right: GvkPattern): number =>
  usualRank(left.kind ?? '') - usualRank(right.kind ?? '') || compareText(kindText(left), kindText(right))

export const sorted = (resources: readonly Resource[], options: SortOptions = { order: 'legacy' }): Resource[] => {
  const { order, legacySortOptions } = options
  if (order !== 'fifo' && order !== 'legacy')
    throw new RenderError("the field 'sortOptions.order' must be one of [fifo, legacy]")
  if (order === 'fifo' && legacySortOptions !== undefined)
    throw new RenderError("the field 'sortOptions.legacySortOptions' is set but the order is fifo")
  if (order === 'fifo') return [...resources]
  return byKind(resources, legacySortOptions ?? usualOrder)
}

const byKind = (resources: readonly Resource[], order: KindOrder): Resource[] => {
  const rank = rankOf(order)
  return resources
    .map(resource => ({ resource, identity: resource.current }))
    .sort(
      ({ identity: left }, { identity: right }) =>
        rank(left.kind) - rank(right.kind) || compared(kindText(left), kindText(right), left, right),
    )
    .map(({ resource }) => resource)
}

/** Two Namespaces, one of them of the core group, are compared in reverse; all other kinds by their text. */
const compared = (leftKind: string, rightKind: string, left: Identity, right: Identity): number => {
  if (leftKind === rightKind) return compareText(nameText(left), nameText(right))
  const areNamespaces = left.kind === 'Namespace' && right.kind === 'Namespace'
  return areNamespaces && (left.group === '' || right.group === '')
    ? compareText(rightKind, leftKind)
    : compareText(leftKind, rightKind)
}

const nameText = ({ namespace, name }: Identity): string => `${namespace || '~X'}|${name || '~N'}`
