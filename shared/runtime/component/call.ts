// What the passes of one call for a component share, so that nothing is read, rendered or run twice. Example: the first pass
// reads the Secret that valuesFrom names and applies; the second, of the same generation, takes what the first has read. A
// pass that finds another generation reads all of it again.
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { BegunCall } from '../context.ts'
import type { Hooks } from './definition/definition.ts'
import type { Engine } from './definition/engine.ts'
import type { References } from './references/references.ts'
import type { TargetClient } from './target-cluster.ts'

export type ComponentCall = {
  /** With what this process allows of kubeconfigs. */
  readonly engine: Engine
  readonly begun: BegunCall
  /** The component is being deleted with its namespace, and something that its deletion needs went first. */
  readonly isLeftAlone?: true
  readonly hooksRun: Set<keyof Hooks>
  readonly kept: {
    readonly references: Latest<References>
    readonly target: Latest<TargetClient>
    readonly rendered: Latest<Rendered>
  }
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

export type Rendered = {
  readonly manifests: readonly KubeObject[]
  readonly hasLookedUp: boolean
  /** A Secret fed it: the component names one, or a template looked one up. */
  readonly isConfidential: boolean
}

/** References of a component are read once in a call for each of these. */
export const generationKey = (component: KubeObject): string =>
  `${component.metadata.generation} ${isDeleting(component)}`

/** The value of the latest key; of another key it is made. */
type Latest<Value> = (key: string, make: () => Promise<Value>) => Promise<Value>

const latest = <Value>(): Latest<Value> => {
  let kept: { readonly key: string; readonly value: Value } | undefined
  return async (key, make) => {
    kept = kept?.key === key ? kept : { key, value: await make() }
    return kept.value
  }
}
