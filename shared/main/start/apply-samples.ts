// Applies the samples in an order in which no object is refused and no object is created too early.
import { istioKind } from '../../api/istio.ts'
import { type KubeObject, refOf } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { install, installedNames } from './install.ts'
import { lookMilliseconds, stateNow } from './progress.ts'
import type { StartClusters } from './start-clusters.ts'
import type { Terminal } from './terminal.ts'

/** Namespaces come first, because they contain the other objects. A Garden is last, because it would create its own mesh. */
export const applyAll = async (client: Client, samples: readonly KubeObject[], terminal: Terminal): Promise<void> => {
  if (samples.length === 0) return
  const { Namespace: namespaces = [], Garden: gardens = [], others = [] } = Object.groupBy(samples, turnOf)
  await install(client, [namespaces, others, gardens], terminal)
  for (const line of installedNames([samples])) terminal.line('applied', line)
}

const turnOf = ({ kind }: KubeObject) => (kind === 'Namespace' || kind === 'Garden' ? kind : 'others')

/** Waits without limit until the mesh is Ready, because Pods that are created earlier get no sidecar. */
export const applyMeshed = async (
  client: Client,
  { samples, meshed = [] }: StartClusters,
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
