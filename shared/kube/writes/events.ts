// Records Events. The name of an Event is a digest of its content and occasion, so all replicas use the same name. A repeated Event
// increases the count, but an Event with an occasion is recorded once. A process that wrote an Event before counts it with one request.
import type { EventNote } from '../../core/decisions/plan.ts'
import { sha256Hex } from '../../core/digest.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { isSubdomain } from '../../core/objects/dns-name.ts'
import { type KubeObject, refOf } from '../../core/objects/object.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { Client } from '../client-types.ts'
import { isAlreadyExists, isConflict, isNotFound, nothingIf } from '../errors.ts'

type EventSource = {
  component: string
  now: Date
  written: WrittenEvents
}

/** The last state of Events that this process wrote, by a digest of cluster, namespace and name. */
export type WrittenEvents = BoundedCache<string, Written>

type Written = { readonly resourceVersion: string | undefined; readonly count: number }

const writtenMost = 5_000

export const writtenEvents = (): WrittenEvents => new BoundedCache(writtenMost)

const messageBytesMost = 1024
const nameCharactersMost = 253

export type NoteRegarding = EventNote & { readonly regarding: KubeObject }

export const recordEvent = async (client: Client, note: NoteRegarding, source: EventSource): Promise<void> => {
  const event = eventOf(note, source)
  if (note.occasion !== undefined) {
    await client.create(event, { fieldManager: source.component }).catch(nothingIf(isAlreadyExists))
    return
  }
  const { written } = source
  const { namespace, name } = event.metadata
  const key = sha256Hex(JSON.stringify([client.reachedBy, note.on, namespace, name]))
  const before = written.get(key)
  // After a failure, the process knows nothing of the Event.
  written.delete(key)
  const stored = await (before ? countWritten(client, event, before, source) : createOrCount(client, event, source))
  if (stored) written.set(key, writtenOf(stored))
}

const writtenOf = ({ metadata: { resourceVersion }, count }: KubeObject): Written => ({
  resourceVersion,
  count: Number(count ?? 1),
})

const countWritten = async (
  client: Client,
  event: KubeObject,
  before: Written,
  source: EventSource,
): Promise<KubeObject | undefined> => {
  try {
    return await countAgain(client, event, before, source)
  } catch (error) {
    if (isNotFound(error)) return createOrCount(client, event, source)
    if (isConflict(error)) return countStored(client, event, source)
    throw error
  }
}

const createOrCount = async (
  client: Client,
  event: KubeObject,
  source: EventSource,
): Promise<KubeObject | undefined> => {
  try {
    return await client.create(event, { fieldManager: source.component })
  } catch (error) {
    if (isAlreadyExists(error)) return countStored(client, event, source)
    throw error
  }
}

const countStored = async (client: Client, event: KubeObject, source: EventSource): Promise<KubeObject | undefined> => {
  const stored = await client.get(refOf(event))
  return stored && countAgain(client, event, writtenOf(stored), source)
}

/** Increases the count. The write is bound to the resourceVersion: if two replicas count at once, one write is refused and not counted. */
const countAgain = (
  client: Client,
  event: KubeObject,
  { resourceVersion, count }: Written,
  { component, now }: EventSource,
): Promise<KubeObject> => {
  const body = { metadata: { resourceVersion }, count: count + 1, lastTimestamp: kubeTime(now) }
  return client.patch(refOf(event), { type: 'merge', body }, { fieldManager: component })
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
