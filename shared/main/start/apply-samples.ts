// Applies the samples, in an order in which nothing is refused and nothing is made too early.
import { istioKind } from '../../api/istio.ts'
import { type KubeObject, refOf } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { install, installedNames } from './install.ts'
import { lookMilliseconds, stateNow } from './progress.ts'
import type { StartClusters } from './start-clusters.ts'
import type { Terminal } from './terminal.ts'

/** Namespaces first: the others are in them. A Garden is last, since it makes a mesh of its own where no Istio is. */
export const applyAll = async (client: Client, samples: readonly KubeObject[], terminal: Terminal): Promise<void> => {
  if (samples.length === 0) return
  const { Namespace: namespaces = [], Garden: gardens = [], others = [] } = Object.groupBy(samples, turnOf)
  await install(client, [namespaces, others, gardens], terminal)
  for (const line of installedNames([samples])) terminal.line('applied', line)
}

const turnOf = ({ kind }: KubeObject) => (kind === 'Namespace' || kind === 'Garden' ? kind : 'others')

/** Waits until the mesh is Ready, however long that takes. Pods that are created earlier would stay without a sidecar. */
export const applyMeshed = async (
  client: Client,
  { samples, meshed }: StartClusters,
  { ending, terminal }: { readonly ending: AbortSignal; readonly terminal: Terminal },
): Promise<void> => {
  const meshes = samples.filter(({ kind }) => kind === istioKind.kind).map(refOf)
  const areReady = async (): Promise<boolean> => {
    const states = await Promise.all(meshes.map(ref => stateNow(client, ref)))
    return states.every(state => state?.isDone === true)
  }
  while (!ending.aborted && !(await areReady())) await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  if (!ending.aborted) await applyAll(client, meshed, terminal)
}
