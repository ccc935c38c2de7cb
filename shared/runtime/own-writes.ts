// The writes of a call, for three purposes.
// Its reply reports them, so that it is not called again for the events they cause. Example: a call creates a ConfigMap (rv=12) and reads it
// in its next pass; its reply reports rv=12, and the event that shows rv=12 needs no further call. The relay recognises them:
// shared/relay/queue/own-write-events.ts.
// And a pass that writes nothing new is noticed. Example: a ConfigMap is created (rv=12), the API server goes on answering that there is
// none, so the next pass applies it too, which is answered with rv=12 again.
// And an object is noticed that others change back each time. Example: a webhook takes our finalizer off a Watcher as often as we put it on.
import type { Outcome } from '../core/decisions/outcome.ts'
import type { Step, StepResult } from '../core/decisions/plan.ts'
import { subjectOf, subjectText } from '../core/decisions/steps.ts'
import { isDeleting, type KubeObject, versionText } from '../core/objects/object.ts'

type Written = {
  readonly results: readonly StepResult[]
  /** The object with the saved status; undefined: nothing was saved. */
  readonly saved?: KubeObject
  /** As in PassScope. */
  readonly reusesReads?: boolean
}

/** Why a call is to end although a pass has changed something: this object. */
export type FutileWrite = { readonly object: KubeObject; readonly because: 'readAsBefore' | 'changedBack' }

/** No function changes an object as often in one call, unless others change it too. */
const changesMost = 10

/** The writes of a call that a later pass of it has seen, or the call after a pause will see; those of another last pass nobody has. */
export class OwnWrites {
  readonly #seen = new Set<string>()
  /** How often each object was changed. */
  readonly #changes = new Map<string, number>()
  #mayReport = true

  /** A pass has ended. `isFollowed`: another one reads what it wrote, at once, or after a pause that the events of its writes must not end. */
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

  /** What this pass wrote in vain, if it did: all of it is as earlier passes left it, or one object was changed once too often. */
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

  /** The reply with our writes; without them if a pass may have missed one, or if any event shall call again. */
  reportedIn(reply: Outcome): Outcome {
    const isQuiet = reply.outcome === 'settled' || reply.outcome === 'waiting'
    return isQuiet && this.#mayReport && this.#seen.size > 0 ? { ...reply, wrote: [...this.#seen] } : reply
  }
}

const placeOf = (step: Step): string => `${step.on ?? ''} ${subjectText(step)}`

/** That of a hook does not, nor does the removal of the last finalizer, whose answer is the state before. */
const showsNewState = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
