// The order of kinds in kustomize: first the kinds that other kinds depend on, last the webhooks. Other kinds are sorted by group, version
// and kind.

import { RenderError } from '../../generator.ts'
import { compareText } from '../../template/value/bytes.ts'
import type { SortOptions } from '../files/arguments.ts'
import type { GvkPattern, Identity } from './identity.ts'
import type { Resource } from './resource.ts'

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
