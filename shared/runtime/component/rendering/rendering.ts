// Renders for a component: an order in the host's renderers, a function in this process. lookups.ts performs lookups.
import type { JsonMap } from '../../../core/json/json.ts'
import { keptOrMade } from '../../../core/memory/remembered.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../../kube/served-kinds.ts'
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
import { type RoundsParts, renderedInRounds } from './lookups.ts'

export type RenderingCall = Pick<BegunCall, 'local' | 'bounds' | 'memory' | 'now' | 'renderer' | 'renderKey'>

export type RenderingTask = {
  readonly call: RenderingCall
  readonly target: TargetClient
  /** Rules for lookups with kubeconfigs. `refusedFor`: the identity of a component that must not use kubeconfigs. */
  readonly elsewhere: { readonly allowedHosts: readonly string[]; readonly refusedFor?: string }
  readonly context: Pick<RenderContext, 'reconcilerName' | 'component' | 'componentDigest' | 'revision' | 'now'>
  /** Called before each round with the facts that the rendering knows about the cluster. */
  readonly noticed?: (cluster: TargetCluster, lookups: Findings) => void
  /** Whether the rendering uses a Secret so far. Absent: never. */
  readonly isConfidential?: () => boolean
}

type Into = { readonly namespace: string; readonly name: string; readonly parameters: JsonMap }

/** Rejects with RenderError, RendererBusy or the error of a lookup. If the rendering uses a Secret, no error quotes it. */
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
  if (!renderer) throw new Error('this process is not configured to render')
  return (known, parameters) => renderer.render({ order, context: known, parameters }, turn)
}

/** The key contains the revision, because lookups may depend on the content of the component. */
const remembered = ({ recipe, artifact }: Order, { call, context }: RenderingTask): RoundsParts['remembered'] => ({
  lookups: call.memory.lookups,
  key: JSON.stringify([context.component.metadata.uid, context.revision, recipe.is, artifact?.key]),
})

const knownOf = async (rendering: RenderingTask): Promise<Omit<ContextData, 'namespace' | 'name' | 'found'>> => {
  const { call, context, target } = rendering
  const { outside = asked => asked } = call.bounds
  const asked = targetCluster(target, call.memory)
  // Several calls may share the request. So each call measures its own waiting time.
  const served = target.name === localTarget ? asked : outside(asked)
  const [cluster, key] = await Promise.all([served, call.renderKey()])
  const { component, revision } = context
  return { ...context, cluster, seed: { key, uid: component.metadata.uid ?? '', revision } }
}

/** Version and kinds of the cluster, from the cache if possible. */
export const targetCluster = (
  { name, client }: Pick<TargetClient, 'name' | 'client'>,
  memory: Pick<ProcessMemory, 'served'>,
): Promise<TargetCluster> => memory.served(name, () => clusterOf(client))

const clusterOf = async (client: ReadClient): Promise<TargetCluster> => {
  const [version, kinds] = await Promise.all([serverVersion(client), servedKinds(client)])
  const apiVersions = kinds.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`])
  return { version, apiVersions: [...new Set(apiVersions)] }
}

/** Limit per rendering, because templates choose the clusters and each client needs about 100 kB. Clients are closed after the rendering. */
const clustersMost = 10

/** Clients for kubeconfigs in templates. `client` rejects with RenderError, or with AccessError for a refused kubeconfig. */
const clustersElsewhere = ({ call, elsewhere: { allowedHosts, refusedFor } }: RenderingTask) => {
  const clients = new Map<string, Promise<PassingClient>>()
  const client = async (text: string): Promise<ReadClient> => {
    if (refusedFor !== undefined) throw refused(`for a component that acts as ${refusedFor}: ${howToAllow}`)
    const asked = { text, allowedHosts, called: 'the kubeconfig' }
    const opened = keptOrMade(clients, text, () => call.memory.passingClient(asked))
    if (clients.size > clustersMost) throw refused(`in more than ${clustersMost} clusters in one rendering`)
    return (await opened).client.bound(call.bounds)
  }
  const close = () => Promise.allSettled([...clients.values()].map(async opened => (await opened).close()))
  return { client, close }
}

const howToAllow = 'an operator allows them with kubeConfigLookups in serverless.yml'

const refused = (what: string): RenderError =>
  new RenderError(`lookups with a kubeconfig are refused ${what}`, { quotesNoValues: true })
