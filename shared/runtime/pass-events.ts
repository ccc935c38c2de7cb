// Records the Events of a pass, and logs its warnings. An Event that cannot be recorded is logged; it fails nothing.
import type { EventNote } from '../core/decisions/plan.ts'
import type { Log } from '../core/log.ts'
import { type KubeObject, refOf, refText } from '../core/objects/object.ts'
import type { Clusters } from '../kube/client-types.ts'
import { recordEvents } from '../kube/writes/events.ts'

type Recorder = {
  readonly clusters: Clusters
  /** The reporting component of the Events. */
  readonly component: string
  readonly now: Date
  readonly log: Log
}

/** Never rejects. */
export const recordPassEvents = async (
  object: KubeObject,
  notes: readonly EventNote[],
  { clusters, component, now, log }: Recorder,
): Promise<void> => {
  for (const note of notes) logWarning(note, log)
  const recorded = notes.map(async note =>
    recordEvents(await clusters.of(note.on ?? 'local'), note.regarding ?? object, [note], { component, now }),
  )
  for (const outcome of await Promise.allSettled(recorded))
    for (const error of outcome.status === 'rejected' ? [outcome.reason] : outcome.value)
      log.warn({ err: error }, 'an event could not be recorded')
}

/** Warnings are logged too, for people who read logs and not Events. */
const logWarning = ({ type, reason, message, regarding }: EventNote, log: Log): void => {
  if (type === 'Warning') log.warn({ reason, ...(regarding && { regarding: refText(refOf(regarding)) }) }, message)
}
