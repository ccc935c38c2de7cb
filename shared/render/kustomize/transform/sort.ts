// The order of the result: as read, or by kind with what others depend on first.
import { RenderError } from '../../generator.ts'
import { compareText } from '../../template/value/bytes.ts'
import type { SortOptions } from '../files/arguments.ts'
import type { Identity } from '../objects/identity.ts'
import { type KindOrder, kindText, rankOf, usualOrder } from '../objects/kind-order.ts'
import type { Resource } from '../objects/resource.ts'

/** Without options the order is `legacy`. */
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

/** Namespaces of the core group come after others of that name, everything else by its text. */
const compared = (leftKind: string, rightKind: string, left: Identity, right: Identity): number => {
  if (leftKind === rightKind) return compareText(nameText(left), nameText(right))
  const areNamespaces = left.kind === 'Namespace' && right.kind === 'Namespace'
  return areNamespaces && (left.group === '' || right.group === '')
    ? compareText(rightKind, leftKind)
    : compareText(leftKind, rightKind)
}

const nameText = ({ namespace, name }: Identity): string => `${namespace || '~X'}|${name || '~N'}`
