// A component that is deleted with its namespace. The namespace controller deletes everything in a namespace at once, so the RoleBinding of
// the component's account, or the Secret with its kubeconfig, may be gone before the component's finalizer is.
import { isDeleting, type ObjectRef } from '../../core/objects/object.ts'
import type { Reads } from '../../kube/client-types.ts'

export type IsEnding = (namespace: string) => Promise<boolean>

/** Whether a namespace of the cluster is being deleted. Each namespace is read once. */
export const endingsIn = (cluster: Pick<Reads, 'get'>): IsEnding => {
  const asked = new Map<string, Promise<boolean>>()
  const ask = async (name: string): Promise<boolean> => {
    const found = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })
    return found !== undefined && isDeleting(found)
  }
  return name => {
    const answer = asked.get(name) ?? ask(name)
    asked.set(name, answer)
    return answer
  }
}

/** The namespace controller deletes these objects, whether or not the component may see them. */
export const isIn = (namespace: string | undefined, ref: ObjectRef): boolean =>
  ref.namespace !== '' && ref.namespace === namespace
