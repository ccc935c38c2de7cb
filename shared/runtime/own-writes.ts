// Tracks the writes of a call, for three purposes. (1) The reply lists the writes, so that their events trigger no call
// (shared/relay/queue/own-write-events.ts). Example: a call creates a ConfigMap (rv=12), and the next pass reads the ConfigMap. The reply
// lists rv=12, and the relay ignores the event with rv=12. (2) Detects a pass that repeats earlier writes. Example: a call creates a
// ConfigMap (rv=12), but stale reads do not show the ConfigMap, so the next pass gets rv=12 again. (3) Detects an object that another
// client changes back each time. Example: a webhook always removes our finalizer.
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

/** The object and the reason why a call ends although a pass changed something. */
export type FutileWrite = { readonly object: KubeObject; readonly because: 'readAsBefore' | 'changedBack' }

/** No function changes an object this often in one call, unless another client changes the object, too. */
const changesMost = 10

/** The writes that a later pass has read, or that the call after a pause will read. Other writes of the last pass are left out. */
export class OwnWrites {
  readonly #seen = new Set<string>()
  readonly #changes = new Map<string, number>()
  #mayReport = true

  /** Call after each pass. `isFollowed`: another pass reads the writes, now or after a pause, which events of the writes must not end. */
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

  /** Finds a futile write of this pass: all writes repeat earlier writes, or one object was changed too often. */
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

  /** Adds our writes to the reply. Adds none if a pass may have missed a write, or if any event should trigger a call. */
  reportedIn(reply: Outcome): Outcome {
    const isQuiet = reply.outcome === 'settled' || reply.outcome === 'waiting'
    return isQuiet && this.#mayReport && this.#seen.size > 0 ? { ...reply, wrote: [...this.#seen] } : reply
  }
}

const placeOf = (step: Step): string => `${step.on ?? ''} ${subjectText(step)}`

/** False for hooks, and for the removal of the last finalizer, because the API server then answers with the old resourceVersion. */
const showsNewState = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
