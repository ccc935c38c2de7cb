// Renders what a component wants, an order by the host's renderers, a definition's own function in this process. How lookups are answered
// is told in rounds.ts.
import type { JsonMap } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../../kube/discovery/served-kinds.ts'
import { drawFrom } from '../../../render/draw.ts'
import type { Findings, Rendering as Outcome, Render, RenderContext, TargetCluster } from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'
import type { BegunCall } from '../../context.ts'
import type { ProcessMemory } from '../../process-memory.ts'
import type { ContextData } from '../../renderer/renderer.ts'
import { withoutRendered } from '../references/secrecy.ts'
import type { TargetClient } from '../target-cluster.ts'
import { renderKey } from './render-key.ts'
import { type RoundsParts, renderedInRounds } from './rounds.ts'

export type RenderingCall = Pick<BegunCall, 'local' | 'bounds' | 'memory' | 'home' | 'now' | 'renderer'>

export type RenderingTask = {
  readonly call: RenderingCall
  readonly target: TargetClient
  readonly kubeConfigHosts: readonly string[]
  readonly fieldManager: string
  readonly context: Pick<RenderContext, 'reconcilerName' | 'component' | 'componentDigest' | 'revision' | 'now'>
  /** Called with what the rendering knows of the cluster, before each round. */
  readonly noticed?: (cluster: TargetCluster, lookups: Findings) => void
  /** Whether a Secret feeds the rendering by now; absent: never. */
  readonly isConfidential?: () => boolean
}

type Into = { readonly namespace: string; readonly name: string; readonly parameters: JsonMap }

/** Rejects with a RenderError, with RendererBusy, or with the error of a lookup; where a Secret feeds the rendering, none quotes it. */
export const renderedObjects = async (
  what: Render | Order,
  into: Into,
  rendering: RenderingTask,
): Promise<KubeObject[]> => {
  const { namespace, name, parameters } = into
  const known = { ...(await knownOf(rendering)), namespace, name }
  const render = typeof what === 'function' ? rendersHere(what) : rendersElsewhere(what, rendering)
  const looking = {
    clients: clientsOf(rendering),
    noticed: (found: Findings) => rendering.noticed?.(known.cluster, found),
    ...(typeof what !== 'function' && { remembered: remembered(what, rendering) }),
  }
  try {
    return [...(await renderedInRounds(found => render({ ...known, found }, parameters), looking))]
  } catch (error) {
    throw rendering.isConfidential?.() ? withoutRendered(error) : error
  }
}

type Renders = (context: ContextData, parameters: JsonMap) => Promise<Outcome> | Outcome

const rendersHere =
  (render: Render): Renders =>
  ({ seed, ...context }, parameters) =>
    render({ ...context, draw: drawFrom(seed) }, parameters)

const rendersElsewhere = (order: Order, { call, context }: RenderingTask): Renders => {
  const { renderer, bounds } = call
  const { namespace = '', name } = context.component.metadata
  const turn = { tenant: namespace, id: `${namespace}/${name}`, signal: bounds.signal }
  if (!renderer) throw new Error('this process renders nothing')
  return (known, parameters) => renderer.render({ order, context: known, parameters }, turn)
}

/** What an order looks up may change with the component's state. */
const remembered = ({ recipe, artifact }: Order, { call, context }: RenderingTask): RoundsParts['remembered'] => ({
  lookups: call.memory.lookups,
  key: JSON.stringify([context.component.metadata.uid, context.revision, recipe.is, artifact?.key]),
})

const knownOf = async (rendering: RenderingTask): Promise<Omit<ContextData, 'namespace' | 'name' | 'found'>> => {
  const { call, context, target, fieldManager } = rendering
  const { memory, local, home } = call
  const [cluster, key] = await Promise.all([
    targetCluster(target, memory),
    memory.renderKey(() => renderKey(local, { namespace: home, fieldManager })),
  ])
  const { component, revision } = context
  return { ...context, cluster, seed: { key, uid: component.metadata.uid ?? '', revision } }
}

/** From memory, where it was asked lately. */
export const targetCluster = (
  { name, client }: Pick<TargetClient, 'name' | 'client'>,
  memory: Pick<ProcessMemory, 'served'>,
): Promise<TargetCluster> => memory.served(name, () => clusterOf(client))

const clusterOf = async (client: Client): Promise<TargetCluster> => {
  const [version, kinds] = await Promise.all([serverVersion(client), servedKinds(client)])
  const apiVersions = kinds.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`])
  return { version, apiVersions: [...new Set(apiVersions)] }
}

const clientsOf = ({ target, call, kubeConfigHosts: allowedHosts }: RenderingTask) => ({
  target: target.client,
  local: target.local,
  remote: async (text: string) =>
    (await call.memory.remoteClient({ text, allowedHosts, called: 'the kubeconfig' })).bound(call.bounds),
})
