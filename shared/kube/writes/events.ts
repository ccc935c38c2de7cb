// Records Events. The name of an Event is a digest of its content and occasion, so all replicas use the same name. A repeated Event
// increases the count, but an Event with an occasion is recorded once.
import type { EventNote } from '../../core/decisions/plan.ts'
import { sha256Hex } from '../../core/digest.ts'
import { isSubdomain } from '../../core/objects/dns-name.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { Client } from '../client-types.ts'
import { isAlreadyExists } from '../errors.ts'

type EventSource = {
  component: string
  now: Date
}

const messageBytesMost = 1024
const nameCharactersMost = 253

export type NoteRegarding = EventNote & { readonly regarding: KubeObject }

export const recordEvent = async (client: Client, note: NoteRegarding, source: EventSource): Promise<void> => {
  const event = eventOf(note, source)
  try {
    await client.create(event, { fieldManager: source.component })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    if (note.occasion === undefined) await countAgain(client, event, source)
  }
}

/** Increases the count. The write is bound to the resourceVersion: if two replicas count at once, one write is refused and not counted. */
const countAgain = async (client: Client, event: KubeObject, { component, now }: EventSource): Promise<void> => {
  const { apiVersion, kind } = event
  const ref: ObjectRef = { apiVersion, kind, namespace: event.metadata.namespace ?? '', name: event.metadata.name }
  const stored = await client.get(ref)
  if (!stored) return
  const { resourceVersion } = stored.metadata
  const body = { metadata: { resourceVersion }, count: Number(stored.count ?? 1) + 1, lastTimestamp: kubeTime(now) }
  await client.patch(ref, { type: 'merge', body }, { fieldManager: component })
}

const eventOf = (note: NoteRegarding, { component, now }: EventSource): KubeObject => {
  const { apiVersion, kind, metadata } = note.regarding
  const { name, uid, resourceVersion, namespace } = metadata
  const message = cutTo(messageBytesMost, note.message)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName({ ...note, message }), namespace: namespace || 'default' },
    involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
    type: note.type,
    reason: note.reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: kubeTime(now),
    lastTimestamp: kubeTime(now),
    count: 1,
  }
}

/** The name of the Event. Names of Roles may contain characters that are invalid in names of Events. */
const eventName = ({ regarding, ...note }: NoteRegarding): string => {
  const { name, uid } = regarding.metadata
  const text = JSON.stringify([
    regarding.kind,
    uid,
    note.type,
    note.reason,
    note.message,
    ...(note.occasion ? [note.occasion] : []),
  ])
  const digest = sha256Hex(text).slice(0, 16)
  const named = `${name.slice(0, nameCharactersMost - digest.length - 1)}.${digest}`
  return isSubdomain(named) ? named : digest
}

/** The longest prefix with at most `bytesMost` bytes of UTF-8. Never splits a character. */
const cutTo = (bytesMost: number, text: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMost) return text
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytesMost), { stream: true })
}
