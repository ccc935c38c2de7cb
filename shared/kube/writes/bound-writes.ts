// Writes bound to an object as it was read. Others write other fields of the same object, some of them many times a second, and
// reads that see everything may take a tenth of one: whoever gave way to each of them would never be done. So when
// somebody was faster, the object is read once more, and the write done again if nothing has changed that it touches, nor
// what is wished of the object. Else the conflict stands, and the function decides anew.
import { isMap, type JsonMap, mapOrEmpty, sameJson } from '../../core/json.ts'
import { mergePatched } from '../../core/merge-patch.ts'
import { type KubeObject, refOf } from '../../core/object.ts'
import type { Observed } from '../../core/plan.ts'
import type { Client } from '../client-types.ts'
import { isConflict } from '../errors.ts'

type BoundChange = { merge: JsonMap; fieldManager: string }

/** The object after the merge patch; rejects with a conflict when it is not any more what was read. */
export const patchAsRead = (client: Client, read: Observed, change: BoundChange): Promise<KubeObject> =>
  writtenAsRead({ client, read, merge: change.merge }, seen => patchBound(client, seen, change))

/**
 * The object with the change merged into its status; rejects as `patchAsRead` does. The status is sent as a whole: a patch of a
 * long one costs the API server a quarter more.
 */
export const statusAsRead = (client: Client, read: KubeObject, { merge, fieldManager }: BoundChange) =>
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

const patchBound = (client: Client, seen: Observed, { merge, fieldManager }: BoundChange) => {
  const { uid, resourceVersion } = seen.metadata
  const metadata = { ...mapOrEmpty(merge.metadata), uid, resourceVersion }
  return client.patch(refOf(seen), { type: 'merge', body: { ...merge, metadata } }, { fieldManager })
}

const identity = ['uid', 'generation', 'deletionTimestamp'] as const

const isStillAs = (read: Observed, now: KubeObject, merge: JsonMap): boolean =>
  identity.every(field => read.metadata[field] === now.metadata[field]) &&
  sameJson(touched(merge, read), touched(merge, now))

/** What a merge patch would replace, as it is. */
const touched = (merge: unknown, document: unknown): unknown =>
  isMap(merge) && isMap(document)
    ? Object.fromEntries(Object.entries(merge).map(([field, change]) => [field, touched(change, document[field])]))
    : document
