// The progress of a group of dependents. The plan joins the progress of all groups.
import type { Step } from '../../core/decisions/plan.ts'
import { refOf } from '../../core/objects/object.ts'
import type { DependentAction } from '../applied/dependent-action.ts'
import type { Item } from '../inventory/item.ts'
import type { DependentFault, Note } from './dependents-status.ts'

export type Progress = {
  readonly items: readonly Item[]
  readonly steps: readonly Step[]
  readonly unready: readonly Note[]
  readonly failed: readonly Note[]
  readonly redundant: readonly Note[]
  readonly blocked: readonly Note[]
  readonly errors: readonly DependentFault[]
  readonly mustSave: boolean
  /** Time until the earliest delayed repair. */
  readonly repairInSeconds?: number
}

export type Draft = { readonly progress: Progress; readonly hasChanged: boolean }

export const noProgress: Progress = {
  items: [],
  steps: [],
  unready: [],
  failed: [],
  redundant: [],
  blocked: [],
  errors: [],
  mustSave: false,
}

export const together = (parts: readonly Progress[]): Progress => ({
  items: parts.flatMap(({ items }) => items),
  steps: parts.flatMap(({ steps }) => steps),
  unready: parts.flatMap(({ unready }) => unready),
  failed: parts.flatMap(({ failed }) => failed),
  redundant: parts.flatMap(({ redundant }) => redundant),
  blocked: parts.flatMap(({ blocked }) => blocked),
  errors: parts.flatMap(({ errors }) => errors),
  mustSave: parts.some(({ mustSave }) => mustSave),
  repairInSeconds: earliest(parts.map(({ repairInSeconds }) => repairInSeconds)),
})

const earliest = (seconds: readonly (number | undefined)[]): number | undefined => {
  const known = seconds.filter(value => value !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

export const isDone = ({ steps, unready, failed, redundant, blocked, errors, mustSave }: Progress): boolean =>
  [steps, unready, failed, redundant, blocked, errors].every(list => list.length === 0) && !mustSave

/** The result contains no steps, because callers set the order of steps. */
export const progressOf = (actions: readonly DependentAction[]): Progress => ({
  ...noProgress,
  items: actions.map(({ item }) => item),
  unready: notes(actions, 'unready'),
  failed: notes(actions, 'failed'),
  errors: notes(actions, 'fault').map(({ message }) => plainFault(message)),
  mustSave: actions.some(({ savesFirst }) => savesFirst),
  repairInSeconds: earliest(actions.map(({ repairInSeconds }) => repairInSeconds)),
})

export const plainFault = (message: string): DependentFault => ({ message, isRetriable: false })

const notes = (actions: readonly DependentAction[], is: DependentAction['is']): Note[] =>
  actions
    .filter(action => action.is === is)
    .map(({ dependent, message }) => ({ ref: refOf(dependent.object), message }))
