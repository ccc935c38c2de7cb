// The order of kinds that kustomize knows: what others depend on first, webhooks last, the rest by group, version and kind.
import { compareText } from '../../template/value/bytes.ts'
import type { GvkPattern } from './identity.ts'

export type KindOrder = { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] }

export const usualOrder: KindOrder = {
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

/** Below 0 for kinds that come first, above for those that come last. */
export const rankOf = ({ orderFirst = [], orderLast = [] }: KindOrder): ((kind: string) => number) => {
  const ranks = new Map([
    ...orderFirst.map((kind, index) => [kind, index - orderFirst.length] as const),
    ...orderLast.map((kind, index) => [kind, index + 1] as const),
  ])
  return kind => ranks.get(kind) ?? 0
}

/** The order of kinds of one rank; kinds without a pattern come last. */
export const kindText = ({ group, version, kind }: GvkPattern): string =>
  `${group || '~G'}_${version || '~V'}_${kind || '~K'}`

const usualRank = rankOf(usualOrder)

/** Patterns of kinds in the usual order. */
export const compareKinds = (left: GvkPattern, right: GvkPattern): number =>
  usualRank(left.kind ?? '') - usualRank(right.kind ?? '') || compareText(kindText(left), kindText(right))
