// The writes of a call, for two purposes.
// Its reply reports them, so that it is not called again for the events they cause. Example: a call creates a ConfigMap (rv=12) and reads it
// in its next pass; its reply reports rv=12, and the event that shows rv=12 needs no further call. The relay recognises them:
// shared/relay/queue/own-write-events.ts.
// And a pass that writes nothing new is noticed. Example: a ConfigMap is created (rv=12), the API server goes on answering that there is
// none, so the next pass applies it too, which is answered with rv=12 again.
import type { Outcome } from '../core/decisions/outcome.ts'
import type { StepResult } from '../core/decisions/plan.ts'
import { isDeleting, type KubeObject, versionText } from '../core/objects/object.ts'

type Written = {
  readonly results: readonly StepResult[]
  /** The object with the saved status; undefined: nothing was saved. */
  readonly saved?: KubeObject
  /** As in PassScope. */
  readonly reusesReads?: boolean
}

/** The writes of a call that a later pass of it has seen; those of its last pass nobody has. */
export class OwnWrites {
  readonly #seen = new Set<string>()
  #mayReport = true

  /** A pass has ended. `goesOn`: another follows, which reads what this one wrote. */
  passed({ results, saved, reusesReads = false }: Written, { goesOn }: { readonly goesOn: boolean }): void {
    if (reusesReads) this.#mayReport = false
    if (!goesOn) return
    for (const object of [...results.filter(showsNewState).map(({ object }) => object), saved]) {
      const version = object && versionText(object)
      if (version !== undefined) this.#seen.add(version)
    }
  }

  /** An object that this pass wrote, if everything it wrote is as earlier passes left it. */
  repeatedIn({ results, saved }: Written): KubeObject | undefined {
    const changed = results.filter(({ changed }) => changed)
    const isKnown = ({ object }: StepResult): boolean =>
      object !== undefined && this.#seen.has(versionText(object) ?? '')
    return saved === undefined && changed.every(result => showsNewState(result) && isKnown(result))
      ? changed[0]?.object
      : undefined
  }

  /**
   * The reply with what may be reported: nothing if a pass may not have seen what the call wrote, or if the call failed or stalled and
   * any event shall call it again.
   */
  reportedIn(reply: Outcome): Outcome {
    const isQuiet = reply.outcome === 'settled' || reply.outcome === 'waiting'
    return isQuiet && this.#mayReport && this.#seen.size > 0 ? { ...reply, wrote: [...this.#seen] } : reply
  }
}

/** That of a hook does not, nor does the removal of the last finalizer, whose answer is the state before. */
const showsNewState = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
