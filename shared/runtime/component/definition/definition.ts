// What a developer writes to have a kind of component: its name, its generator, options and hooks. The options are checked in
// definition-faults.ts; what a single component configures is in ../configuration/configuration.ts.

import type { AdoptionPolicy, DeletePolicy, UpdatePolicy } from '../../../component/declared/policies.ts'
import type { InventoryFields } from '../../../component/inventory/item.ts'
import type { ObjectReadiness } from '../../../component/observed/readiness-by-kind.ts'
import type { EngineSettings, GroupKind, Priorities } from '../../../component/settings.ts'
import type { StatusChange } from '../../../core/decisions/plan.ts'
import type { JsonMap } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Client, ReadClient } from '../../../kube/client-types.ts'
import type { Artifacts } from '../../../outside/artifacts.ts'
import type { Render } from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'

export type ComponentDefinition = {
  /** A DNS name. It is the prefix of labels and annotations, and field manager and finalizer unless options say otherwise. */
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

/** Answers the objects of a component. `parameters` is a frozen copy: writing to it throws. */
export type Generator = (
  context: GeneratorContext,
  namespace: string,
  name: string,
  parameters: JsonMap,
) => Promise<KubeObject[]> | KubeObject[]

export type CodeContext = {
  readonly reconcilerName: string
  readonly component: KubeObject
  readonly componentNamespace: string
  readonly componentName: string
  readonly componentRevision: number
  readonly now: Date
  readonly signal: AbortSignal
}

/** The context of postRead hooks. Only the component was read, so the cluster of the dependents is not known yet. */
type PostReadContext = CodeContext & {
  /** Impersonates whom the component names. */
  readonly localClient: Client
  /** Reads the reference that the path names, such as `spec.valuesFrom.0`. undefined: the path is not set. */
  reference(path: string): Promise<unknown>
}

/** The context of generators. Both clients impersonate the account or user that the component names. */
export type ComponentContext = CodeContext & {
  /** Of the dependents' cluster. */
  readonly client: ReadClient
  readonly localClient: ReadClient
  readonly componentDigest: string
  /** The value of the reference at this path, such as `spec.valuesFrom.0`; undefined: the path is not set. */
  reference(path: string): unknown
}

export type GeneratorContext = ComponentContext & {
  /**
   * Renders, and reads what the rendering looks up. An order (chart, kustomization) is rendered in a process beside this one,
   * within bounds of time and memory; a function is called in this process.
   */
  render(render: Render | Order, into: { namespace: string; name: string; parameters: JsonMap }): Promise<KubeObject[]>
}

/** The context of the other hooks, which are steps and may write. */
type HookContext = Omit<ComponentContext, 'client' | 'localClient'> & {
  readonly client: Client
  readonly localClient: Client
}

/** `client` is the local one under the function's own identity; changes of the component's status are saved. */
export type HookOf<Context extends CodeContext> = (
  context: Context,
  client: Client,
  component: KubeObject,
) => Promise<void> | void

export type Hook = HookOf<HookContext>

export type Hooks = {
  /** After the component was read, once in a call. */
  readonly postRead: readonly HookOf<PostReadContext>[]
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
  /** The parameters of the generator; absent: the spec. */
  readonly parameters: (component: KubeObject) => unknown
  /**
   * The generator reads nothing itself: its answer depends on component, references, parameters and lookups alone. So its
   * objects may be kept in memory, and a call that looked nothing up need not be repeated because of its own writes.
   */
  readonly hasPureGenerator: boolean
  /** Further fields of the status. An undefined field is removed. */
  readonly notes: (context: ComponentContext) => JsonMap
  /** The path of the engine's status: `status`, or a field below it. */
  readonly statusPath: string
  /** Prefixes of field managers whose fields `ssa-override` takes over. */
  readonly reclaimedManagers: readonly string[]
  /** Hosts of kubeconfigs: exact, `*.suffix`, `*`. Loopback, link-local and metadata hosts must be listed exactly. */
  readonly kubeConfigHosts: readonly string[]
  /** Templates of components that act as somebody else, such as a service account, may look things up with kubeconfigs, too. */
  readonly kubeConfigLookups: boolean
  readonly requestsInFlight: number
  /** Replaces or wraps the built-in rules. */
  readonly readiness: (
    ...judged: [...Parameters<NonNullable<EngineSettings['readiness']>>, component: KubeObject]
  ) => ObjectReadiness
  readonly inventory: InventoryAdapter
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Whether CRDs and APIServices carry our finalizer. */
  readonly crdFinalizers: boolean
  /** `all`: under a definition of component-operator-runtime, which requires them in status.inventory. */
  readonly inventoryFields: InventoryFields
  readonly deletionBlockers: DeletionBlockers | ((component: KubeObject) => DeletionBlockers)
  /** `repair`: while the deletion is blocked, dependents are still kept as declared. */
  readonly whileBlocked: 'hold' | 'repair'
  /** Configuration in code: an interface that is set here counts instead of the component's own fields. */
  readonly configuration: ConfigurationInCode
}

type DeletionBlockers = 'managed' | 'none' | readonly GroupKind[]

/**
 * For a kind whose status has its own shape. It must keep group, version, kind, namespace and name of each entry; what else
 * it does not keep is read from the live dependents as far as possible: drift is what others took from us in managedFields, and
 * age does not count. With purge orders or delete hooks it must keep the
 * phase too, since no live object shows that it was purged.
 */
type InventoryAdapter = {
  read(component: KubeObject): readonly JsonMap[]
  /** The change of the status, as a merge patch. */
  write(entries: readonly JsonMap[], component: KubeObject): StatusChange
}

export type ReferenceOption = ObjectReference | LoadedReference

type At = {
  /** The path of the field that names the object. `*` stands for all elements of a list or all fields of a map. */
  readonly path: string
  /** A missing object does not hold the component's deletion. */
  readonly ignoreNotFoundOnDeletion?: boolean
}

/** A ConfigMap or Secret in the component's namespace: the field is `{name, key?, optional?}`. */
export type ObjectReference = At & {
  readonly kind: ReferenceKind | ((value: JsonMap) => ReferenceKind)
  /** The value is the whole object and not the text of one key. */
  readonly whole?: boolean
  /** Tried in order if the field names no key. */
  readonly fallbackKeys?: readonly string[]
}

type ReferenceKind = 'ConfigMap' | 'Secret'

/** A reference that the definition's own code loads. An error of `load` stops the pass like any other. */
export type LoadedReference = At & {
  readonly load: (value: unknown, context: LoadContext) => Promise<unknown> | unknown
  /** The digest of what was loaded; if it changes, the component counts as changed. */
  readonly digest: (loaded: unknown) => string
}

export type LoadContext = {
  readonly component: KubeObject
  /** Impersonates whom the component names; else under the function's own identity. */
  readonly localClient: ReadClient
  readonly artifacts?: Artifacts
  readonly now: Date
  readonly signal: AbortSignal
}

/** By interface: a function from the component to the fields of the interface. */
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
