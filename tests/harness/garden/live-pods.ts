// Pods of a live API server as its runtime cluster shows them: one for the process that serves, and one that is ending while the process before it
// still answers known clients.
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'

const kubelet = { fieldManager: 'kubelet' }
const finalizers = ['example.com/drains']

type Template = { readonly template: { readonly metadata: { readonly labels: Record<string, string> } } }

/** `drained` resolves when the previous process has ended. */
export const livePods = (client: Client, drained: () => Promise<void>) => {
  let [count, current] = [0, undefined as KubeObject | undefined]

  const end = async (): Promise<void> => {
    const ending = current
    current = undefined
    if (!ending) return
    await client.delete(refOf(ending), {})
    const free = () => client.patch(refOf(ending), { type: 'merge', body: { metadata: { finalizers: null } } }, kubelet)
    freed = drained().then(free)
  }
  let freed: Promise<unknown> = Promise.resolve()

  return {
    /** The Pod of this template serves now, and the Pod before it ends. */
    replaced: async ({ metadata: { name, namespace }, spec }: KubeObject): Promise<void> => {
      await freed
      await end()
      const { labels } = (spec as Template).template.metadata
      current = await client.create(
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `${name}-${count++}`, namespace, labels, finalizers },
          spec: { automountServiceAccountToken: false, containers: [{ name, image: 'example.com/none' }] },
        },
        kubelet,
      )
    },
    end: async (): Promise<void> => {
      await end()
      await freed
    },
  }
}
