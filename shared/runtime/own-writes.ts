// What a call tells its caller of its own writes, so that it is not called back for the events they cause. Example: a call
// creates a ConfigMap (rv=12) and reads it in its next pass; its reply lists rv=12, and the event that shows rv=12 needs no
// further call. What the relay does with the list is in shared/relay/queue/reported-writes.ts.
import { isDeleting, type KubeObject, versionText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import type { StepResult } from '../core/plan.ts'

/** Collects the writes of a call. The writes of a pass are listed only if a later pass has read what they left. */
export class OwnWrites {
  readonly #lookedAt = new Set<string>()

  /** Another pass follows and reads what these steps and the saved status left. */
  willBeLookedAt(results: readonly StepResult[], saved: KubeObject | undefined): void {
    const left = [...results.filter(isAnswer).map(({ object }) => object), saved]
    for (const object of left) {
      const version = object && versionText(object)
      if (version !== undefined) this.#lookedAt.add(version)
    }
  }

  /** The reply with the list. A call that failed or stalled lists nothing: any event shall call again. */
  toldIn(outcome: Outcome): Outcome {
    const isQuiet = outcome.outcome === 'settled' || outcome.outcome === 'waiting'
    return isQuiet && this.#lookedAt.size > 0 ? { ...outcome, wrote: [...this.#lookedAt] } : outcome
  }
}

/**
 * The result shows a new state. That of a hook does not, nor does the removal of the last finalizer, whose answer is the
 * state before.
 */
const isAnswer = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
