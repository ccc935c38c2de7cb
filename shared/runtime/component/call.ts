// State shared by all passes of one call, so that nothing is read, rendered or run twice, and the contexts for the developer's code. Example:
// the first pass reads the Secret in valuesFrom, and the second pass of the same generation reuses it.
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { ReadClient } from '../../kube/client-types.ts'
import type { BegunCall } from '../context.ts'
import type { CodeContext, ComponentContext, Hooks, LoadContext } from './definition/definition.ts'
import type { Engine } from './definition/engine.ts'
import type { References } from './references/references.ts'
import { statusAt } from './status/engine-status.ts'
import type { Reached, TargetClient } from './target-cluster.ts'

export type ComponentCall = {
  /** The engine, with the kubeconfig settings of this process. */
  readonly engine: Engine
  readonly begun: BegunCall
  /** Set if the component is deleted with its namespace and an object needed for its deletion is already gone. */
  readonly isLeftAlone?: true
  readonly hooksRun: Set<keyof Hooks>
  readonly kept: {
    readonly references: Latest<References>
    readonly target: Latest<TargetClient>
    readonly rendered: Latest<Rendered>
  }
}

export type Rendered = {
  readonly manifests: readonly KubeObject[]
  readonly hasLookedUp: boolean
  /** The rendering used a Secret, from a reference or a lookup. */
  readonly isConfidential: boolean
}

export const componentCall = (engine: Engine, begun: BegunCall): ComponentCall => {
  const { functionName, options } = engine
  const kubeConfigHosts = begun.kubeConfigHosts[functionName] ?? options.kubeConfigHosts
  const kubeConfigLookups = options.kubeConfigLookups || begun.kubeConfigLookups.includes(functionName)
  return {
    engine: { ...engine, options: { ...options, kubeConfigHosts, kubeConfigLookups } },
    begun,
    hooksRun: new Set(),
    kept: { references: latest(), target: latest(), rendered: latest() },
  }
}

/** Caches one value. Calls `make` when the key differs from the last key. */
type Latest<Value> = (key: string, make: () => Promise<Value>) => Promise<Value>

const latest = <Value>(): Latest<Value> => {
  let kept: { readonly key: string; readonly value: Value } | undefined
  return async (key, make) => {
    kept = kept?.key === key ? kept : { key, value: await make() }
    return kept.value
  }
}

/** The key of the generation. References are read once per call and key. */
export const generationKey = (component: KubeObject): string =>
  `${component.metadata.generation} ${isDeleting(component)}`

export const codeContext = (component: KubeObject, { engine, begun }: ComponentCall): CodeContext => ({
  reconcilerName: engine.name,
  component,
  componentNamespace: component.metadata.namespace ?? '',
  componentName: component.metadata.name,
  componentRevision: statusAt(component, engine.options.statusPath).revision ?? 0,
  now: begun.now(),
  signal: begun.signal,
  settings: begun.settings,
})

export const componentContext = (component: KubeObject, reached: Reached, call: ComponentCall): ComponentContext => ({
  ...codeContext(component, call),
  client: reached.target.client,
  localClient: reached.target.local,
  componentDigest: reached.digest,
  reference: path => reached.references.get(path)?.value,
})

export const loadContext = (component: KubeObject, localClient: ReadClient, { begun }: ComponentCall): LoadContext => {
  const { artifacts, now, signal } = begun
  return { component, localClient, artifacts, now: now(), signal }
}
