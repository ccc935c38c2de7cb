// Handles components that are deleted with their namespace. The namespace controller deletes all objects of a namespace at once. So the
// RoleBinding of the component's account or its kubeconfig Secret may be gone first.
import { keptOrMade } from '../../core/memory/remembered.ts'
import { isDeleting, type ObjectRef } from '../../core/objects/object.ts'
import type { Reads } from '../../kube/client-types.ts'

export type IsEnding = (namespace: string) => Promise<boolean>

/** Reads each namespace once. */
export const endingsIn = (cluster: Pick<Reads, 'get'>): IsEnding => {
  const asked = new Map<string, Promise<boolean>>()
  const ask = async (name: string): Promise<boolean> => {
    const found = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })
    return found !== undefined && isDeleting(found)
  }
  return name => keptOrMade(asked, name, () => ask(name))
}

/** Whether the namespace controller deletes the object. */
export const isIn = (namespace: string | undefined, ref: ObjectRef): boolean =>
  ref.namespace !== '' && ref.namespace === namespace
