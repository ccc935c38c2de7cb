// What garden-reconcile does next.
import { type Plan, settled } from '../../shared/core/plan.ts'
import { reasons } from './reasons.ts'
import type { World } from './world.ts'

export const decide = ({ gardens }: World): Plan => ({
  ...{ steps: [], status: {}, events: [] },
  next: gardens.length > 1 ? { is: 'stalled', reason: reasons.moreThanOneGarden } : settled,
})
