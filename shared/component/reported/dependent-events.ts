// Makes Events about dependents, one per write. After 25 Events in a pass, one Event about the component counts the rest.
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import type { EventNote, StepResult } from '../../core/decisions/plan.ts'
import { subjectOf } from '../../core/decisions/steps.ts'
import { changeText, type FieldChange } from '../../core/json/field-changes.ts'
import { refOf, refText } from '../../core/objects/object.ts'
import { listText } from '../../core/text/text.ts'
import { objectToSend } from '../applied/write-cause.ts'
import { dependentOfItem } from '../declared/declared-dependents.ts'
import type { Dependent } from '../declared/dependent.ts'
import { type Item, itemKey, objectKey } from '../item.ts'
import { driftBetween, writerOf } from '../observed/drift.ts'
import type { Tried } from '../plan.ts'
import { sentenceFor, type World } from '../world.ts'

export const eventsMost = 25

export const dependentEvents = (world: World, tried: Tried): EventNote[] => {
  const events = allEvents(world, tried)
  return events.length <= eventsMost ? events : [...events.slice(0, eventsMost), summary(events)]
}

/** Reason of Events and log lines about a repaired object. */
export const driftReason = 'DriftCorrected'

export const driftMetric: Metric = {
  name: 'espalier_drift_corrected_total',
  type: 'counter',
  labels: ['controller', 'kind'],
  help: 'Number of objects that were changed or deleted by others and restored',
  fewOf: 'kind',
}

/** Drift Events about the component itself, for clusters in which we record no Events. */
export const driftEvents = (world: World, tried: Tried): EventNote[] =>
  dependentEvents(world, tried)
    .filter(({ reason }) => reason === driftReason)
    .map(({ regarding, on: _, message, ...event }) => ({
      ...event,
      message: regarding ? `${refText(refOf(regarding))}: ${message}` : message,
    }))

export const driftMeasurements = (controller: string, world: World, tried: Tried): Measurement[] =>
  allEvents(world, tried)
    .filter(({ reason }) => reason === driftReason)
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
      // The item is still Ready, so the object was created earlier.
      return c.item.phase === 'Ready'
        ? normal(driftReason, 'Created again after it was deleted by another program or a person')
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
  const changes = correctedFields(c)
  if (changes.length === 0) return normal('Updated', 'Updated')
  return normal(
    driftReason,
    sentenceFor(c.world, {
      full: correction(c, changes),
      bare: 'Restored fields that differed from the rendered object',
    }),
  )
}

/** The fields that another client changed; none if the manifest changed. */
const correctedFields = ({ world, result, item, dependent }: Case): FieldChange[] => {
  const [before, after] = [world.observed.live.get(itemKey(item)), result.object]
  if (item.phase === 'ScheduledForApplication' || !before || !after || !dependent) return []
  return driftBetween(before, after, objectToSend(dependent, world))
}

/** Example: `Corrected spec.replicas: 3 -> 1; written by kubectl-scale at 2026-03-01T08:00:00Z`. Values of Secrets are left out. */
const correction = ({ world, item }: Case, changes: readonly FieldChange[]): string => {
  const isSecret = item.kind === 'Secret' && item.group === ''
  const before = world.observed.live.get(itemKey(item))
  const writer = before && writerOf(before, changes)
  const fields = changes.map(change => (isSecret ? change.path : changeText(change)))
  return `Corrected ${listText(fields)}${writer ? `; written by ${writer}` : ''}`
}

const summary = (events: readonly EventNote[]): EventNote => {
  const rest = events.slice(eventsMost)
  const type = rest.some(event => event.type === 'Warning') ? 'Warning' : 'Normal'
  const counts = [...Map.groupBy(rest, ({ reason }) => reason)].map(([reason, same]) => `${same.length} ${reason}`)
  return {
    type,
    reason: 'DependentsChanged',
    message: `Besides the ${eventsMost} dependents with Events of their own: ${counts.join(', ')}`,
  }
}
