// A merge patch bound to an object as it was read. Others write other fields of the same object, some of them many times
// a second, and reads that see everything may take a tenth of one: whoever gave way to each of them would never be done.
// So when somebody was faster, the object is read once more, and the patch sent again if nothing has changed that
// it touches, nor what is wished of the object. Else the conflict stands, and the function decides anew.
import { isMap, type JsonMap } from '../core/json.ts'
import { type KubeObject, refOf } from '../core/object.ts'
import type { Observed } from '../core/plan.ts'
import type { Client } from './client-types.ts'
import { isConflict } from './errors.ts'
import { sameJson } from './same-json.ts'

export type BoundPatch = { merge: JsonMap; subresource?: string; fieldManager: string }

/** The object after the patch; rejects with a conflict when it is not any more what was read. */
export const patchAsRead = async (client: Client, read: Observed, patch: BoundPatch): Promise<KubeObject> => {
  try {
    return await patchBound(client, read, patch)
  } catch (error) {
    if (!isConflict(error)) throw error
    const now = await client.get(refOf(read))
    if (!now || !isStillAs(read, now, patch.merge)) throw error
    return patchBound(client, now, patch)
  }
}

const patchBound = (client: Client, seen: Observed, { merge, subresource, fieldManager }: BoundPatch) => {
  const { uid, resourceVersion } = seen.metadata
  const metadata = { ...(isMap(merge.metadata) ? merge.metadata : {}), uid, resourceVersion }
  const options = { fieldManager, ...(subresource ? { subresource } : {}) }
  return client.patch(refOf(seen), { type: 'merge', body: { ...merge, metadata } }, options)
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
