// What a developer writes down to have a kind of component: its name, its generator, options and hooks. What each option
// means is told here; how they are checked is in definition-faults.ts, what a single component says beside them in ../configuration/configuration.ts.

import type { AdoptionPolicy, DeletePolicy, UpdatePolicy } from '../../../component/declared/policies.ts'
import type { EngineSettings, GroupKind, Priorities } from '../../../component/settings.ts'
import type { JsonMap } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { StatusChange } from '../../../core/plan.ts'
import type { Client } from '../../../kube/client-types.ts'
import type { Artifacts } from '../../../outside/artifacts.ts'
import type { Render } from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'

export type ComponentDefinition = {
  /** A DNS name: labels and annotations begin with it, and it is field manager and finalizer unless options say otherwise. */
  readonly name: string
  readonly kind: ComponentKind
  readonly generator: Generator
  readonly options?: Partial<ComponentOptions>
  readonly hooks?: Partial<Hooks>
}

type ComponentKind = {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
}

/** The objects a component consists of. `parameters` is a frozen copy: writing to it throws. */
export type Generator = (
  context: GeneratorContext,
  namespace: string,
  name: string,
  parameters: JsonMap,
) => Promise<KubeObject[]> | KubeObject[]

/** What the developer's own code gets to know. Both clients act as the component's configuration says. */
export type ComponentContext = {
  readonly reconcilerName: string
  /** Of the cluster that dependents live in; in postRead it is not known yet, and using it throws. */
  readonly client: Client
  readonly localClient: Client
  readonly component: KubeObject
  readonly componentNamespace: string
  readonly componentName: string
  /** '' in postRead. */
  readonly componentDigest: string
  readonly componentRevision: number
  /**
   * What a reference of the options led to, by the path where it stands; list elements by their index
   * (`spec.valuesFrom.0`). undefined: nothing stands there. In postRead it is a promise, since it is only read then.
   */
  reference(path: string): unknown
  readonly now: Date
  readonly signal: AbortSignal
}

export type GeneratorContext = ComponentContext & {
  /**
   * Renders purely; what the rendering looks up is read for it. What is ordered is rendered beside this process, within bounds;
   * a function of the definition's own within it.
   */
  render(render: Render | Order, into: { namespace: string; name: string; parameters: JsonMap }): Promise<KubeObject[]>
}

/** `client` is the local one under the function's own identity; changes of the component's status are saved. */
export type Hook = (context: ComponentContext, client: Client, component: KubeObject) => Promise<void> | void

export type Hooks = {
  /** After the component was read, once in a call. */
  readonly postRead: readonly Hook[]
  /** Before rendering, once in a call. */
  readonly preReconcile: readonly Hook[]
  /** When everything is ready. */
  readonly postReconcile: readonly Hook[]
  /** Before anything is deleted, once in a call. */
  readonly preDelete: readonly Hook[]
  /** When everything is gone. */
  readonly postDelete: readonly Hook[]
}

export type ComponentOptions = {
  readonly fieldOwner: string
  readonly finalizer: string
  readonly createMissingNamespaces: boolean
  readonly adoptionPolicy: AdoptionPolicy
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: Extract<DeletePolicy, 'Delete' | 'Orphan'>
  /** A duration. */
  readonly reapplyInterval: string
  /**
   * Of the component's namespace; impersonated where the component names no other in `serviceAccountName`, but not in the
   * cluster that a kubeconfig leads to. Beside it a component may say no impersonationUser and no impersonationGroups.
   */
  readonly defaultServiceAccount: string
  /** `ownNamespace`: only service accounts of the component's namespace, and no groups. */
  readonly impersonationScope: 'any' | 'ownNamespace'
  readonly references: readonly ReferenceOption[]
  /** What the generator gets; the spec when absent. */
  readonly parameters: (component: KubeObject) => unknown
  /**
   * The generator answers the same whenever it is given the same component, references and parameters, but for what it has
   * rendered: its objects may be kept in memory for a minute, and a call needs no other because of what it wrote itself.
   */
  readonly hasPureGenerator: boolean
  /** Fields of the status beside the engine's, as they shall be by now; an undefined one is taken away. */
  readonly notes: (context: ComponentContext) => JsonMap
  /** Where the engine's status lies: `status`, or a field below it. */
  readonly statusPath: string
  /** Beginnings of the names of field managers whose fields `ssa-override` takes over. */
  readonly reclaimedManagers: readonly string[]
  /** Hosts a kubeconfig may lead to: exact, `*.suffix`, `*`; loopback, link-local and cloud metadata only when listed exactly. */
  readonly kubeConfigHosts: readonly string[]
  readonly requestsInFlight: number
  /** Replaces or wraps the built-in rules. */
  readonly readiness: NonNullable<EngineSettings['readiness']>
  readonly inventory: InventoryAdapter
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Whether CRDs and APIServices carry our finalizer. */
  readonly crdFinalizers: boolean
  readonly deletionBlockers: DeletionBlockers | ((component: KubeObject) => DeletionBlockers)
  /** `repair`: dependents are kept as declared while deletion is blocked. */
  readonly whileBlocked: 'hold' | 'repair'
  /** Configuration in code: an interface that is here counts instead of what the component says of it. */
  readonly configuration: ConfigurationInCode
}

type DeletionBlockers = 'managed' | 'none' | readonly GroupKind[]

/**
 * For a kind whose status has a shape of its own. Entries are those of `status.inventory`; what an adapter does not keep
 * of them (all but group, version, kind, namespace and name) is taken from the dependents themselves, as far as they tell.
 * Purge orders and delete hooks want one that keeps the phase: no dependent tells that it was to be purged.
 */
type InventoryAdapter = {
  read(component: KubeObject): readonly JsonMap[]
  /** What becomes of the status, as a merge. */
  write(entries: readonly JsonMap[], component: KubeObject): StatusChange
}

export type ReferenceOption = ObjectReference | LoadedReference

type At = {
  /** Of the field that names what is referred to; `*` walks the elements of a list or the fields of a map. */
  readonly path: string
  /** What is missing holds no deletion up. */
  readonly ignoreNotFoundOnDeletion?: boolean
}

/** A ConfigMap or Secret in the component's namespace: the field is `{name, key?, optional?}`. */
export type ObjectReference = At & {
  readonly kind: ReferenceKind | ((value: JsonMap) => ReferenceKind)
  /** The object itself is the value, not the text of one of its keys. */
  readonly whole?: boolean
  /** Tried in order where the field names no key. */
  readonly fallbackKeys?: readonly string[]
}

type ReferenceKind = 'ConfigMap' | 'Secret'

/** Something else. What `load` throws counts like any error. */
export type LoadedReference = At & {
  readonly load: (value: unknown, context: LoadContext) => Promise<unknown> | unknown
  /** Of what was loaded: another digest is another component. */
  readonly digest: (loaded: unknown) => string
}

export type LoadContext = {
  readonly component: KubeObject
  /** As whom the component names, under the function's own identity where it names nobody. */
  readonly localClient: Client
  readonly artifacts?: Artifacts
  readonly now: Date
  readonly signal: AbortSignal
}

/** By interface; each a function of the component that answers the fields of the interface. */
export type ConfigurationInCode = Partial<Record<ConfigurationInterface, (component: KubeObject) => JsonMap>>

export const configurationInterfaces = [
  'placement',
  'client',
  'impersonation',
  'requeue',
  'retry',
  'timeout',
  'policy',
  'type',
  'suspension',
  'reapply',
] as const
export type ConfigurationInterface = (typeof configurationInterfaces)[number]
