// Saves the status once per pass, only if it changes. The write is bound to the resourceVersion that was read, or that our own steps set.
import { isDeepStrictEqual } from 'node:util'
import type { StatusChange } from '../core/decisions/plan.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import { mergePatched } from '../core/json/merge-patch.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { Client } from '../kube/client-types.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'
import { boundStatusUpdate, isUntouched } from '../kube/writes/bound-writes.ts'

/** `object`: the API server's answer. `hasConflict`: the object had changed, and nothing was saved. */
type Saved = { readonly object?: KubeObject; readonly hasConflict: boolean }

type Writer = {
  /** The object after our own steps, if a step wrote to the object. Another client may have written between our read and this step. */
  readonly stepped: KubeObject | undefined
  readonly local: Client
  readonly fieldManager: string
}

/** Does nothing if the object is gone. */
export const saveStatus = async (
  read: KubeObject,
  merge: StatusChange,
  { stepped = read, local, fieldManager }: Writer,
): Promise<Saved> => {
  const before = stepped.status ?? {}
  if (isDeepStrictEqual(mergePatched(before, merge), before)) return { hasConflict: false }
  if (!isUntouched(merge, mapOrEmpty(read.status), before)) return { hasConflict: true }
  try {
    return { hasConflict: false, object: await boundStatusUpdate(local, stepped, { merge, fieldManager }) }
  } catch (error) {
    if (isNotFound(error)) return { hasConflict: false }
    if (isConflict(error)) return { hasConflict: true }
    throw error
  }
}
