// Tracks the writes of a call, for three purposes. (1) The reply reports them, so that their events do not call again
// (shared/relay/queue/own-write-events.ts). Example: a call creates a ConfigMap (rv=12), and its next pass reads it. The reply reports
// rv=12, and the event with rv=12 is ignored. (2) A pass that repeats earlier writes is noticed. Example: a ConfigMap is created (rv=12),
// but the API server keeps answering that there is none, so the next pass gets rv=12 again. (3) An object that others change back each
// time is noticed. Example: a webhook always removes our finalizer.
import type { Outcome } from '../core/decisions/outcome.ts'
import type { Step, StepResult } from '../core/decisions/plan.ts'
import { subjectOf, subjectText } from '../core/decisions/steps.ts'
import { isDeleting, type KubeObject, versionText } from '../core/objects/object.ts'

type Written = {
  readonly results: readonly StepResult[]
  /** The object with the saved status; undefined when nothing was saved. */
  readonly saved?: KubeObject
  readonly reusesReads?: boolean
}

/** Why a call ends although a pass changed something: this object. */
export type FutileWrite = { readonly object: KubeObject; readonly because: 'readAsBefore' | 'changedBack' }

/** No function changes an object this often in one call, unless others change it too. */
const changesMost = 10

/** Writes that a later pass has seen, or that the call after a pause will see. Nobody has seen writes of another last pass. */
export class OwnWrites {
  readonly #seen = new Set<string>()
  readonly #changes = new Map<string, number>()
  #mayReport = true

  /** Call after each pass. `isFollowed`: another pass reads the writes, at once, or after a pause that their events must not end. */
  passed({ results, saved, reusesReads = false }: Written, { isFollowed }: { readonly isFollowed: boolean }): void {
    if (reusesReads) this.#mayReport = false
    if (!isFollowed) return
    for (const { step, changed } of results)
      if (changed && step.do !== 'hook') this.#changes.set(placeOf(step), this.#timesChanged(step) + 1)
    for (const object of [...results.filter(showsNewState).map(({ object }) => object), saved]) {
      const version = object && versionText(object)
      if (version !== undefined) this.#seen.add(version)
    }
  }

  /** The futile write of this pass: all its writes repeat earlier writes, or one object was changed too often. */
  futileIn({ results, saved }: Written): FutileWrite | undefined {
    const changed = results.filter(({ changed }) => changed)
    const often = changed.find(({ step }) => this.#timesChanged(step) + 1 >= changesMost)
    if (often) return { object: subjectOf(often.step), because: 'changedBack' }
    const isKnown = ({ object }: StepResult): boolean =>
      object !== undefined && this.#seen.has(versionText(object) ?? '')
    const isAllKnown = saved === undefined && changed.every(result => showsNewState(result) && isKnown(result))
    const object = isAllKnown ? changed[0]?.object : undefined
    return object && { object, because: 'readAsBefore' }
  }

  #timesChanged(step: Step): number {
    return this.#changes.get(placeOf(step)) ?? 0
  }

  /** Adds our writes to the reply, unless a pass may have missed one, or any event should call again. */
  reportedIn(reply: Outcome): Outcome {
    const isQuiet = reply.outcome === 'settled' || reply.outcome === 'waiting'
    return isQuiet && this.#mayReport && this.#seen.size > 0 ? { ...reply, wrote: [...this.#seen] } : reply
  }
}

const placeOf = (step: Step): string => `${step.on ?? ''} ${subjectText(step)}`

/** False for hooks, and for the removal of the last finalizer, whose answer is the old state. */
const showsNewState = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
