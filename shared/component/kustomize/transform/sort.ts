// The order of the result: as read, or by kind with what others depend on first.
import { RenderError } from '../../generator.ts'
import type { SortOptions } from '../arguments.ts'
import type { Identity } from '../identity.ts'
import type { Resource } from '../resource.ts'

const first = [
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
]
const last = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

/** Without options the order is `legacy`. */
export const sorted = (resources: readonly Resource[], options: SortOptions = { order: 'legacy' }): Resource[] => {
  const { order, legacySortOptions } = options
  if (order !== 'fifo' && order !== 'legacy')
    throw new RenderError("the field 'sortOptions.order' must be one of [fifo, legacy]")
  if (order === 'fifo' && legacySortOptions !== undefined)
    throw new RenderError("the field 'sortOptions.legacySortOptions' is set but the order is fifo")
  if (order === 'fifo') return [...resources]
  return byKind(resources, legacySortOptions ?? { orderFirst: first, orderLast: last })
}

type KindOrder = { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] }

const byKind = (resources: readonly Resource[], { orderFirst = [], orderLast = [] }: KindOrder): Resource[] => {
  const ranks = new Map([
    ...orderFirst.map((kind, index) => [kind, index - orderFirst.length] as const),
    ...orderLast.map((kind, index) => [kind, index + 1] as const),
  ])
  const rank = (kind: string): number => ranks.get(kind) ?? 0
  return resources
    .map(resource => ({ resource, identity: resource.current }))
    .sort(
      ({ identity: left }, { identity: right }) =>
        rank(left.kind) - rank(right.kind) || compared(kindText(left), kindText(right), left, right),
    )
    .map(({ resource }) => resource)
}

/** Namespaces of the core group come after others of that name, everything else by its text. */
const compared = (leftKind: string, rightKind: string, left: Identity, right: Identity): number => {
  if (leftKind === rightKind) return order(nameText(left), nameText(right))
  const areNamespaces = left.kind === 'Namespace' && right.kind === 'Namespace'
  return areNamespaces && (left.group === '' || right.group === '')
    ? order(rightKind, leftKind)
    : order(leftKind, rightKind)
}

const order = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

const kindText = ({ group, version, kind }: Identity): string => `${group || '~G'}_${version || '~V'}_${kind || '~K'}`

const nameText = ({ namespace, name }: Identity): string => `${namespace || '~X'}|${name || '~N'}`
