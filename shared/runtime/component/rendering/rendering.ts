// Renders in rounds: a template that looks something up answers what it needs, this is read, and it is rendered again, until
// nothing new is needed. An order is rendered by the host's renderers, a definition's own function in this process.

import type { JsonMap } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../../kube/discovery/served-kinds.ts'
import { drawFrom } from '../../../render/draw.ts'
import {
  type Findings,
  lookupKey,
  type Rendering as Outcome,
  type Render,
  type RenderContext,
  type TargetCluster,
} from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'
import type { BegunCall } from '../../context.ts'
import type { ProcessMemory } from '../../process-memory.ts'
import type { ContextData } from '../../renderer/renderer.ts'
import { withoutRendered } from '../references/secrecy.ts'
import type { TargetClient } from '../target-cluster.ts'
import { type LookedUp, LookupRoom, lookedUp } from './lookups.ts'
import { renderKey } from './render-key.ts'

export type RenderingCall = Pick<BegunCall, 'local' | 'bounds' | 'memory' | 'home' | 'now' | 'renderer'>

export type RenderingTask = {
  readonly call: RenderingCall
  readonly target: TargetClient
  readonly kubeConfigHosts: readonly string[]
  readonly fieldManager: string
  readonly context: Pick<RenderContext, 'reconcilerName' | 'component' | 'componentDigest' | 'revision' | 'now'>
  /** Called with what the rendering learned of the cluster, after each round. */
  readonly noticed?: (cluster: TargetCluster, lookups: Findings) => void
  /** Whether a Secret feeds the rendering by now; absent: never. */
  readonly isConfidential?: () => boolean
}

type Into = { readonly namespace: string; readonly name: string; readonly parameters: JsonMap }

/** A lookup may depend on the answer to another one, so many times. */
const roundsMost = 20

/**
 * A lookup that fails is an error only if the template still needs it when all other lookups are answered. Example: the name
 * of an object comes from another lookup; in the first round it is empty, and the lookup without a name is refused.
 */
export const renderedObjects = async (
  what: Render | Order,
  into: Into,
  rendering: RenderingTask,
): Promise<KubeObject[]> => {
  const { namespace, name, parameters } = into
  const known = { ...(await knownOf(rendering)), namespace, name }
  const render = typeof what === 'function' ? rendersHere(what) : rendersElsewhere(what, rendering)
  try {
    return await rounds(found => render({ ...known, found }, parameters), { ...rendering, cluster: known.cluster })
  } catch (error) {
    throw rendering.isConfidential?.() ? withoutRendered(error) : error
  }
}

type Try = (found: Findings) => Outcome | Promise<Outcome>

const rounds = async (
  tried: Try,
  rendering: RenderingTask & { readonly cluster: TargetCluster },
): Promise<KubeObject[]> => {
  const found = new Map<string, LookedUp>()
  const faults = new Map<string, unknown>()
  const room = new LookupRoom()
  for (let round = 0; round < roundsMost; round++) {
    const answer = await tried(found)
    if ('objects' in answer) {
      rendering.noticed?.(rendering.cluster, found)
      return [...answer.objects]
    }
    const open = answer.needs.filter(need => !faults.has(lookupKey(need)))
    const [refused] = answer.needs
    if (open.length === 0 && refused) throw faults.get(lookupKey(refused))
    for (const one of await lookedUp(open, clientsOf(rendering), room))
      if ('fault' in one) faults.set(one.key, one.fault)
      else found.set(one.key, one.found)
    rendering.noticed?.(rendering.cluster, found)
  }
  throw new Error(`rendering goes on looking things up after ${roundsMost} rounds`)
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
