// Lets a pure rendering ask the clusters: it renders, what it looked up is read, and it renders again, until it asks for
// nothing new.
import {
  type Findings,
  lookupKey,
  type Render,
  type RenderContext,
  type TargetCluster,
} from '../../component/generator.ts'
import type { JsonMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'
import type { CallBounds, Client } from '../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../kube/served.ts'
import { answered, type Found } from './lookups.ts'
import { drawFrom, renderKey } from './render-key.ts'
import type { Residence } from './residence.ts'
import type { Target } from './target.ts'

export type Rendering = {
  readonly target: Target
  /** Under the function's own identity. */
  readonly local: Client
  readonly residence: Residence
  readonly bounds: CallBounds
  readonly kubeConfigHosts: readonly string[]
  /** Where the render key lies. */
  readonly home: string
  readonly fieldManager: string
  readonly context: Pick<RenderContext, 'reconcilerName' | 'component' | 'componentDigest' | 'revision' | 'now'>
  /** Told of what a rendering came to know of the cluster. */
  readonly noticed?: (cluster: TargetCluster, lookups: Findings) => void
}

export type Into = { readonly namespace: string; readonly name: string; readonly parameters: JsonMap }

/** A lookup may depend on what another one found; so often that may go on. */
const roundsMost = 20

/**
 * A question that cannot be answered is a fault only if it is asked again when all others are answered: until then it may
 * be made of what is not known yet, and be one that nobody means.
 */
export const renderedObjects = async (render: Render, into: Into, rendering: Rendering): Promise<KubeObject[]> => {
  const { namespace, name, parameters } = into
  const context = { ...(await contextOf(rendering)), namespace, name }
  const found = new Map<string, Found>()
  const faults = new Map<string, unknown>()
  for (let round = 0; round < roundsMost; round++) {
    const answer = render({ ...context, found }, parameters)
    if ('objects' in answer) {
      rendering.noticed?.(context.cluster, found)
      return [...answer.objects]
    }
    const open = answer.needs.filter(need => !faults.has(lookupKey(need)))
    const [refused] = answer.needs
    if (open.length === 0 && refused) throw faults.get(lookupKey(refused))
    for (const one of await answered(open, clientsOf(rendering)))
      if ('fault' in one) faults.set(one.key, one.fault)
      else found.set(one.key, one.found)
  }
  throw new Error(`rendering goes on looking things up after ${roundsMost} rounds`)
}

const contextOf = async (rendering: Rendering): Promise<Omit<RenderContext, 'namespace' | 'name' | 'found'>> => {
  const { context, target, residence, local, home, fieldManager } = rendering
  const [cluster, key] = await Promise.all([
    residence.served(target.name, () => clusterOf(target.client)),
    residence.renderKey(() => renderKey(local, { namespace: home, fieldManager })),
  ])
  const { component, revision } = context
  return { ...context, cluster, draw: drawFrom(key, { uid: component.metadata.uid ?? '', revision }) }
}

const clusterOf = async (client: Client): Promise<TargetCluster> => {
  const [version, kinds] = await Promise.all([serverVersion(client), servedKinds(client)])
  const apiVersions = kinds.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`])
  return { version, apiVersions: [...new Set(apiVersions)] }
}

const clientsOf = ({ target, residence, bounds, kubeConfigHosts: allowedHosts }: Rendering) => ({
  target: target.client,
  local: target.local,
  remote: (text: string) => residence.clients({ text, allowedHosts, called: 'the kubeconfig' }).bound(bounds),
})
