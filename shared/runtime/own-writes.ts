// What a call tells its caller of its own writes, so that it is not called back for the events they cause. Example: a call creates a
// ConfigMap (rv=12) and reads it in its next pass; its reply lists rv=12, and the event that shows rv=12 needs no further call.
// How the relay goes by it stands in shared/relay/queue/reported-writes.ts.
import { isDeleting, type KubeObject, versionText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import type { StepResult } from '../core/plan.ts'

/** Collects the writes of a call pass by pass. Those of a pass count once a later pass has looked at what they left. */
export class OwnWrites {
  readonly #lookedAt = new Set<string>()

  /** Another pass follows this one: it reads what these steps, and the status that was saved, left. */
  willBeLookedAt(results: readonly StepResult[], saved: KubeObject | undefined): void {
    const left = [...results.filter(isAnswer).map(({ object }) => object), saved]
    for (const object of left) {
      const version = object && versionText(object)
      if (version !== undefined) this.#lookedAt.add(version)
    }
  }

  /** The reply with them. Whoever failed is to be called by any event, and so is whoever stalled: nobody else will help. */
  toldIn(outcome: Outcome): Outcome {
    const isQuiet = outcome.outcome === 'settled' || outcome.outcome === 'waiting'
    return isQuiet && this.#lookedAt.size > 0 ? { ...outcome, wrote: [...this.#lookedAt] } : outcome
  }
}

/** A hook answers what it was given; and where a write removes an object's last finalizer, its answer shows the state before. */
const isAnswer = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)
