// Events on dependents, one per write. Beyond the first 25 of a pass, one Event on the component counts the rest.
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import type { EventNote, StepResult } from '../../core/decisions/plan.ts'
import { subjectOf } from '../../core/decisions/steps.ts'
import { listText } from '../../core/text/text.ts'
import type { Tried } from '../applied/after-steps.ts'
import { objectToSend } from '../applied/object-to-send.ts'
import { dependentOfItem } from '../declared/declared-dependents.ts'
import type { Dependent } from '../declared/dependent.ts'
import { type Item, itemKey, objectKey } from '../inventory/item.ts'
import { driftedPaths } from '../observed/fingerprint.ts'
import type { World } from '../world.ts'
import { sentenceFor } from './sentences.ts'

const most = 25

export const dependentEvents = (world: World, tried: Tried): EventNote[] => {
  const events = allEvents(world, tried)
  return events.length <= most ? events : [...events.slice(0, most), summary(events)]
}

const drifted = 'DriftCorrected'

export const driftMetric: Metric = {
  name: 'espalier_drift_corrected_total',
  type: 'counter',
  labels: ['controller', 'kind'],
  help: 'Objects that somebody had changed or deleted and that were put right',
  fewOf: 'kind',
}

/** One for each object that was put right. */
export const driftMeasurements = (controller: string, world: World, tried: Tried): Measurement[] =>
  allEvents(world, tried)
    .filter(({ reason }) => reason === drifted)
    .map(({ regarding }) => ({
      metric: driftMetric.name,
      labels: { controller, kind: regarding?.kind ?? '' },
      add: 1,
    }))

const allEvents = (world: World, { plan, results }: Tried): EventNote[] => {
  const items = new Map(plan.items.map(item => [itemKey(item), item]))
  const dependentOf = dependentOfItem(world)
  return results.flatMap(result => {
    const key = objectKey(subjectOf(result.step))
    const item = items.get(key)
    return item ? (eventOf({ world, result, item, dependent: dependentOf(item) }) ?? []) : []
  })
}

type Case = {
  readonly world: World
  readonly result: StepResult
  readonly item: Item
  readonly dependent: Dependent | undefined
}

type EventText = Pick<EventNote, 'type' | 'reason' | 'message' | 'detail'>

const eventOf = (c: Case): EventNote | undefined => {
  const text = c.result.error ? refusalOf(c) : c.result.changed ? successOf(c) : undefined
  return text && { ...text, regarding: c.result.object ?? subjectOf(c.result.step), on: c.world.on }
}

const refusalOf = ({ result: { step, error } }: Case): EventText | undefined =>
  error && !error.isConflict
    ? {
        type: 'Warning',
        reason: step.do === 'delete' ? 'DeleteError' : 'UpdateError',
        message: error.message,
        detail: error.full,
      }
    : undefined

const normal = (reason: string, message: string): EventText => ({ type: 'Normal', reason, message })

const successOf = (c: Case): EventText | undefined => {
  switch (c.result.step.do) {
    case 'create':
      // The item is still Ready: the object existed before.
      return c.item.phase === 'Ready'
        ? normal(drifted, 'Created again: somebody had deleted it')
        : normal('Created', 'Created')
    case 'delete':
      return normal('Deleted', 'Deleted')
    case 'replace':
    case 'apply':
      return updateOf(c)
    default:
      return undefined
  }
}

const updateOf = (c: Case): EventText => {
  const paths = correctedPaths(c)
  if (paths.length === 0) return normal('Updated', 'Updated')
  return normal(
    drifted,
    sentenceFor(c.world, { full: `Corrected ${listText(paths)}`, bare: 'Corrected what was not as it is rendered' }),
  )
}

/** The paths that somebody else had changed; none if the manifest itself changed. */
const correctedPaths = ({ world, result, item, dependent }: Case): string[] => {
  const [before, after] = [world.observed.live.get(itemKey(item)), result.object]
  if (item.phase === 'ScheduledForApplication' || !before || !after || !dependent) return []
  return driftedPaths(before, after, objectToSend(dependent, world))
}

const summary = (events: readonly EventNote[]): EventNote => {
  const rest = events.slice(most)
  const type = rest.some(event => event.type === 'Warning') ? 'Warning' : 'Normal'
  const counts = [...Map.groupBy(rest, ({ reason }) => reason)].map(([reason, same]) => `${same.length} ${reason}`)
  return {
    type,
    reason: 'DependentsChanged',
    message: `Besides the ${most} dependents with Events of their own: ${counts.join(', ')}`,
  }
}
