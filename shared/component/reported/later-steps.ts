// What a component's plan does not do now but when its steps are done and ready: later waves, what is purged, what is no longer declared.
import { subjectText } from '../../core/decisions/steps.ts'
import { refText } from '../../core/objects/object.ts'
import { type Item, refOfItem } from '../inventory/item.ts'
import type { ComponentPlan } from '../plan.ts'

type LaterStep = { readonly does: 'apply' | 'delete'; readonly object: string }

const phases: Partial<Record<Item['phase'], LaterStep['does']>> = {
  ScheduledForApplication: 'apply',
  ScheduledForCompletion: 'delete',
  ScheduledForDeletion: 'delete',
}

export const laterSteps = ({ items, steps }: Pick<ComponentPlan, 'items' | 'steps'>): LaterStep[] => {
  const now = new Set(steps.map(subjectText))
  return items.flatMap(item => {
    const does = phases[item.phase]
    const object = refText(refOfItem(item))
    return does === undefined || now.has(object) ? [] : [{ does, object }]
  })
}
