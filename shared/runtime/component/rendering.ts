// Lets a pure rendering ask the clusters: it renders, what it looked up is read, and it renders again, until it asks for
// nothing new.
import type { Findings, Render, RenderContext, TargetCluster } from '../../component/generator.ts'
import type { JsonMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'
import type { CallBounds, Client } from '../../kube/client-types.ts'
import { servedKinds, serverVersion } from '../../kube/served.ts'
import { answered } from './lookups.ts'
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

export const renderedObjects = async (render: Render, into: Into, rendering: Rendering): Promise<KubeObject[]> => {
  const { namespace, name, parameters } = into
  const context = { ...(await contextOf(rendering)), namespace, name }
  let found: Findings = new Map()
  for (let round = 0; round < roundsMost; round++) {
    const answer = render({ ...context, found }, parameters)
    if ('objects' in answer) {
      rendering.noticed?.(context.cluster, found)
      return [...answer.objects]
    }
    found = new Map([...found, ...(await answered(answer.needs, clientsOf(rendering)))])
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
