// Lists the writes of a component that must wait: later waves, purges, and removals.
import { subjectText } from '../../core/decisions/steps.ts'
import { type ClusterName, refText } from '../../core/objects/object.ts'
import { type Item, refOfItem } from '../inventory/item.ts'
import type { ComponentPlan } from '../plan.ts'

export type LaterObject = {
  readonly apiVersion: string
  readonly does: 'apply' | 'delete'
  /** `Deployment shop/shop` */
  readonly object: string
  readonly on?: ClusterName
}

const phases: Partial<Record<Item['phase'], LaterObject['does']>> = {
  ScheduledForApplication: 'apply',
  ScheduledForCompletion: 'delete',
  ScheduledForDeletion: 'delete',
}

export const laterSteps = (
  { items, steps }: Pick<ComponentPlan, 'items' | 'steps'>,
  on: ClusterName,
): LaterObject[] => {
  const now = new Set(steps.map(subjectText))
  return items.flatMap(item => {
    const does = phases[item.phase]
    const ref = refOfItem(item)
    const object = refText(ref)
    const place = on === 'local' ? {} : { on }
    return does === undefined || now.has(object) ? [] : [{ apiVersion: ref.apiVersion, does, object, ...place }]
  })
}
