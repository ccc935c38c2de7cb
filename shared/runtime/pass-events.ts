// Records the Events of a pass, and logs warnings and repairs. A failure is only logged. After a hundred Events about an object in a short
// time, further Events are only logged.
import { driftReason } from '../component/reported/dependent-events.ts'
import type { Rates } from '../core/bounds/rates.ts'
import type { EventNote } from '../core/decisions/plan.ts'
import type { Log } from '../core/log.ts'
import { type KubeObject, refOf, refText } from '../core/objects/object.ts'
import type { Clusters } from '../kube/client-types.ts'
import { type NoteRegarding, recordEvent, type WrittenEvents } from '../kube/writes/events.ts'

type Recorder = {
  readonly clusters: Clusters
  readonly component: string
  /** Rates by reporting component and object. */
  readonly rates: Rates
  readonly written: WrittenEvents
  readonly now: Date
  readonly log: Log
}

export const recordPassEvents = async (
  object: KubeObject,
  notes: readonly EventNote[],
  { clusters, component, rates, written, now, log }: Recorder,
): Promise<void> => {
  for (const note of notes) logged(note, log)
  const isWithinRate = ({ regarding }: NoteRegarding): boolean =>
    rates(`${component} ${regarding.metadata.uid ?? refText(refOf(regarding))}`) === undefined
  const recorded = notes
    .map(note => ({ ...note, regarding: note.regarding ?? object }))
    .filter(isWithinRate)
    .map(async note => recordEvent(await clusters.of(note.on ?? 'local'), note, { component, now, written }))
  for (const outcome of await Promise.allSettled(recorded))
    if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'an event could not be recorded')
}

/** Logs warnings and repairs, for users who read logs and not Events. */
const logged = ({ type, reason, message, detail, regarding }: EventNote, log: Log): void => {
  const about = { reason, ...(detail && { detail }), ...(regarding && { regarding: refText(refOf(regarding)) }) }
  if (type === 'Warning') log.warn(about, message)
  else if (reason === driftReason) log.info(about, message)
}
