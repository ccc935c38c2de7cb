// The engine for functions that also have steps of their own. `gather` reads what the engine needs. `plan` returns steps and the status of
// the dependents. The function adds both to its own plan and status.
import { componentDigest } from '../../component/declared/dependent.ts'
import type { Item, ItemKey } from '../../component/item.ts'
import { ownerOf } from '../../component/ownership.ts'
import { afterSteps, plan } from '../../component/plan.ts'
import { dependentEvents } from '../../component/reported/dependent-events.ts'
import type { EngineSettings, GroupKind } from '../../component/settings.ts'
import { nothingObserved, type World } from '../../component/world.ts'
import { type ClusterName, isDeleting, type KubeObject, keyOf } from '../../core/objects/object.ts'
import type { GatherContext } from '../context.ts'
import { settingsOf } from './configuration/configuration.ts'
import type { ComponentOptions } from './definition/definition.ts'
import { engineOptions } from './definition/engine.ts'
import { liveBy, withWriters, worldOf } from './reads/cluster-reads.ts'
import { recoveredWorld } from './reads/recovered-items.ts'

type DependentsDefinition = {
  /** Prefix of labels and annotations. */
  readonly name: string
  readonly options?: Partial<ComponentOptions>
  /** Whether the function stores only the keys of items. Other fields are then recovered from live objects. */
  readonly keepsKeysOnly?: boolean
}

type DependentsContext = Pick<GatherContext, 'clusters' | 'memory'> & {
  /** The declared manifests. Absent when unknown. A blocked deletion repairs no dependents then. */
  readonly manifests?: readonly KubeObject[]
  /** The inventory as the function stored it. */
  readonly items: readonly Item[]
  /** As in EngineInput. */
  readonly added?: ReadonlySet<ItemKey> | undefined
  readonly now: Date
  /** Dependents that were already read. Only for functions that store whole items. */
  readonly seen?: readonly KubeObject[]
  /** The cluster of the dependents. Default: the local cluster. */
  readonly on?: ClusterName
  /** Default namespace of manifests. Default: the component's namespace. */
  readonly namespace?: string
  /** Default: `delete` if the component is being deleted, otherwise `apply`. */
  readonly goal?: World['goal']
  /** Default: the digest of the component without references. */
  readonly componentDigest?: string
  readonly additionalManagedTypes?: readonly GroupKind[]
  readonly inherits?: EngineSettings['inherits']
}

export type Dependents = {
  gather(context: DependentsContext, component: KubeObject): Promise<World>
  readonly plan: typeof plan
  readonly afterSteps: typeof afterSteps
  readonly events: typeof dependentEvents
}

/**
 * The engine of components, for a reconcile function that has further steps besides its dependents.
 *
 *   const engine = dependents({ name: 'website.example.org' })
 *   const gather: ReconcileFunction['gather'] = (object, context) =>
 *     engine.gather({ ...context, manifests: [], items: [], now: new Date() }, object)
 */
export const dependents = (definition: DependentsDefinition): Dependents => {
  const { name, options: given = {}, keepsKeysOnly = false } = definition
  const options = engineOptions(name, given)
  const settingsFor = (context: DependentsContext, component: KubeObject) => {
    const { manifests, additionalManagedTypes = [], inherits } = context
    const settings = { ...settingsOf({ name, options }, component, { additionalManagedTypes }), inherits }
    return manifests ? settings : { ...settings, whileBlocked: 'hold' as const }
  }
  const gather: Dependents['gather'] = async (context, component) => {
    const { clusters, on = 'local' } = context
    const [local, client] = await Promise.all([clusters.of('local'), clusters.of(on)])
    const uid = await context.memory.clusterUid(local)
    const input = {
      goal: context.goal ?? (isDeleting(component) ? ('delete' as const) : ('apply' as const)),
      settings: settingsFor(context, component),
      owner: ownerOf(uid, keyOf(component)),
      componentDigest: context.componentDigest ?? componentDigest(component, {}),
      on,
      namespace: context.namespace ?? component.metadata.namespace ?? '',
      manifests: context.manifests ?? [],
      items: context.items,
      ...(context.added && { added: context.added }),
      foreignFinalizers: [],
    }
    const { requestsInFlight, fieldOwner } = options
    const asking = { client, requestsInFlight }
    const world = keepsKeysOnly
      ? await recoveredWorld(input, { ...asking, fieldOwner, now: context.now })
      : await worldOf(input, asking, { ...nothingObserved, live: liveBy(context.seen ?? []) })
    return withWriters(world, asking, context.now)
  }
  return { gather, plan, afterSteps, events: dependentEvents }
}
