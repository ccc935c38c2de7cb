// Saves the status once per pass, with the resourceVersion that was read, and only if it changes something.
import { isDeepStrictEqual } from 'node:util'
import { mergePatched } from '../core/merge-patch.ts'
import type { KubeObject } from '../core/object.ts'
import type { StatusChange } from '../core/plan.ts'
import type { Client } from '../kube/client-types.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'
import { boundStatusUpdate } from '../kube/writes/bound-writes.ts'

/** `object`: the API server's answer. `hasConflict`: somebody else changed the object first, and nothing was saved. */
type Saved = { readonly object?: KubeObject; readonly hasConflict: boolean }

/** For an object that is gone nothing is saved, and that is no error. */
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
