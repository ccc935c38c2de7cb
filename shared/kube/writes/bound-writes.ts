// Writes bound to the resourceVersion that was read. Other fields of the object may change many times a second, so a function that fails at
// each conflict might never finish. After a conflict the object is read once more. The write is repeated if neither its fields nor the spec
// changed; otherwise the conflict is thrown, and the function decides again.
import type { Observed } from '../../core/decisions/plan.ts'
import { isMap, type JsonMap, mapOrEmpty, sameJson } from '../../core/json/json.ts'
import { mergePatched } from '../../core/json/merge-patch.ts'
import { type KubeObject, refOf } from '../../core/objects/object.ts'
import type { Client } from '../client-types.ts'
import { isConflict } from '../errors.ts'

type BoundChange = { merge: JsonMap; fieldManager: string }

type BoundPatch = BoundChange & { subresource?: string }

/** Returns the new object. Rejects with a conflict when the object changed since it was read. */
export const boundPatch = (client: Client, read: Observed, change: BoundPatch): Promise<KubeObject> =>
  writtenAsRead({ client, read, merge: change.merge }, seen => patchBound(client, seen, change))

/** Rejects like `boundPatch`. Sends the whole status, because a patch of a long status costs the API server a quarter more. */
export const boundStatusUpdate = (client: Client, read: KubeObject, { merge, fieldManager }: BoundChange) =>
  writtenAsRead({ client, read, merge: { status: merge } }, seen =>
    client.replace({ ...seen, status: mergePatched(seen.status, merge) }, { fieldManager, subresource: 'status' }),
  )

type Attempt<Read> = { client: Client; read: Read; merge: JsonMap }

const writtenAsRead = async <Read extends Observed>(
  { client, read, merge }: Attempt<Read>,
  write: (seen: Read | KubeObject) => Promise<KubeObject>,
): Promise<KubeObject> => {
  try {
    return await write(read)
  } catch (error) {
    if (!isConflict(error)) throw error
    const now = await client.get(refOf(read))
    if (!now || !isStillAs(read, now, merge)) throw error
    return write(now)
  }
}

const patchBound = (client: Client, seen: Observed, { merge, ...options }: BoundPatch) => {
  const { uid, resourceVersion } = seen.metadata
  const metadata = { ...mapOrEmpty(merge.metadata), uid, resourceVersion }
  return client.patch(refOf(seen), { type: 'merge', body: { ...merge, metadata } }, options)
}

const identity = ['uid', 'generation', 'deletionTimestamp'] as const

const isStillAs = (read: Observed, now: KubeObject, merge: JsonMap): boolean =>
  identity.every(field => read.metadata[field] === now.metadata[field]) && isUntouched(merge, read, now)

/** Whether the fields of the merge patch are unchanged. */
export const isUntouched = (merge: JsonMap, read: unknown, now: unknown): boolean =>
  sameJson(touched(merge, read), touched(merge, now))

const touched = (merge: unknown, document: unknown): unknown =>
  isMap(merge) && isMap(document)
    ? Object.fromEntries(Object.entries(merge).map(([field, change]) => [field, touched(change, document[field])]))
    : document
