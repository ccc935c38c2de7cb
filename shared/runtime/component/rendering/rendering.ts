// Renders what a component wants, an order by the host's renderers, a definition's own function in this process. How lookups are answered
// is told in rounds.ts.
import type { JsonMap } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../../kube/discovery/served-kinds.ts'
import { drawFrom } from '../../../render/draw.ts'
import {
  type Findings,
  type Rendering as Outcome,
  type Render,
  type RenderContext,
  RenderError,
  type TargetCluster,
} from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'
import type { BegunCall } from '../../context.ts'
import type { PassingClient, ProcessMemory } from '../../process-memory.ts'
import type { ContextData } from '../../renderer/renderer.ts'
import { withoutRendered } from '../references/secrecy.ts'
import { localTarget, type TargetClient } from '../target-cluster.ts'
import { type RoundsParts, renderedInRounds } from './rounds.ts'

export type RenderingCall = Pick<BegunCall, 'local' | 'bounds' | 'memory' | 'now' | 'renderer' | 'renderKey'>

export type RenderingTask = {
  readonly call: RenderingCall
  readonly target: TargetClient
  /** Clusters that a template has a kubeconfig for. `refusedFor`: as whom the component acts, who may reach none of them. */
  readonly elsewhere: { readonly allowedHosts: readonly string[]; readonly refusedFor?: string }
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
  const clusters = clustersElsewhere(rendering)
  const looking = {
    clients: { target: rendering.target.client, local: rendering.target.local, remote: clusters.client },
    noticed: (found: Findings) => rendering.noticed?.(known.cluster, found),
    ...(typeof what !== 'function' && { remembered: remembered(what, rendering) }),
  }
  try {
    return [...(await renderedInRounds(found => render({ ...known, found }, parameters), looking))]
  } catch (error) {
    throw rendering.isConfidential?.() ? withoutRendered(error) : error
  } finally {
    await clusters.close()
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

/** The lookups of an order may change with the component's state. */
const remembered = ({ recipe, artifact }: Order, { call, context }: RenderingTask): RoundsParts['remembered'] => ({
  lookups: call.memory.lookups,
  key: JSON.stringify([context.component.metadata.uid, context.revision, recipe.is, artifact?.key]),
})

const knownOf = async (rendering: RenderingTask): Promise<Omit<ContextData, 'namespace' | 'name' | 'found'>> => {
  const { call, context, target } = rendering
  const { outside = asked => asked } = call.bounds
  const asked = targetCluster(target, call.memory)
  // Another call may have sent the request, so this call has noted nothing yet.
  const served = target.name === localTarget ? asked : outside(asked)
  const [cluster, key] = await Promise.all([served, call.renderKey()])
  const { component, revision } = context
  return { ...context, cluster, seed: { key, uid: component.metadata.uid ?? '', revision } }
}

/** From memory, where it was asked lately. */
export const targetCluster = (
  { name, client }: Pick<TargetClient, 'name' | 'client'>,
  memory: Pick<ProcessMemory, 'served'>,
): Promise<TargetCluster> => memory.served(name, () => clusterOf(client))

const clusterOf = async (client: ReadClient): Promise<TargetCluster> => {
  const [version, kinds] = await Promise.all([serverVersion(client), servedKinds(client)])
  const apiVersions = kinds.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`])
  return { version, apiVersions: [...new Set(apiVersions)] }
}

/** A template decides how many clusters it reaches, and each of its clients holds some 100 kB: few, and closed with the rendering. */
const clustersMost = 10

/** Clients of the clusters that a template has a kubeconfig for. `client` rejects with a RenderError, or if the kubeconfig is refused. */
const clustersElsewhere = ({ call, elsewhere: { allowedHosts, refusedFor } }: RenderingTask) => {
  const clients = new Map<string, Promise<PassingClient>>()
  const client = async (text: string): Promise<ReadClient> => {
    if (refusedFor !== undefined) throw refused(`for a component that acts as ${refusedFor}: ${howToAllow}`)
    const opened = clients.get(text) ?? call.memory.passingClient({ text, allowedHosts, called: 'the kubeconfig' })
    clients.set(text, opened)
    if (clients.size > clustersMost) throw refused(`in more than ${clustersMost} clusters in one rendering`)
    return (await opened).client.bound(call.bounds)
  }
  const close = () => Promise.allSettled([...clients.values()].map(async opened => (await opened).close()))
  return { client, close }
}

const howToAllow = 'an operator allows them with kubeConfigLookups in serverless.yml'

const refused = (what: string): RenderError =>
  new RenderError(`lookups with a kubeconfig are refused ${what}`, { quotesNoValues: true })
