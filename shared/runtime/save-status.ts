// The one write of a status in a pass: bound to what was read, and only if it changes something.
import { isDeepStrictEqual } from 'node:util'
import { mergePatched } from '../core/merge-patch.ts'
import type { KubeObject } from '../core/object.ts'
import type { StatusChange } from '../core/plan.ts'
import type { Client } from '../kube/client-types.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'
import { boundStatusUpdate } from '../kube/writes/bound-writes.ts'

/** `object`: as the API server answered. `hasConflict`: somebody else wrote to it first, and nothing was saved. */
export type Saved = { readonly object?: KubeObject; readonly hasConflict: boolean }

/** An object that is gone has no status to be saved. */
export const saveStatus = async (
  object: KubeObject,
  merge: StatusChange,
  { local, fieldManager }: { local: Client; fieldManager: string },
): Promise<Saved> => {
  const before = object.status ?? {}
  if (isDeepStrictEqual(mergePatched(before, merge), before)) return { hasConflict: false }
  try {
    return { hasConflict: false, object: await boundStatusUpdate(local, object, { merge, fieldManager }) }
  } catch (error) {
    if (isNotFound(error)) return { hasConflict: false }
    if (isConflict(error)) return { hasConflict: true }
    throw error
  }
}
