// The interface for developers who define a kind of component. engine.ts checks the options. ../configuration/configuration.ts
// reads the configuration of a single component.
import type { AdoptionPolicy, DeletePolicy, InventoryFields, UpdatePolicy } from '../../../component/item.ts'
import type { ObjectReadiness } from '../../../component/observed/readiness.ts'
import type { EngineSettings, GroupKind, Priorities } from '../../../component/settings.ts'
import type { StatusChange } from '../../../core/decisions/plan.ts'
import type { JsonMap } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { FunctionSetting, SettingValues } from '../../../core/settings/setting.ts'
import type { Client, ReadClient } from '../../../kube/client-types.ts'
import type { Artifacts } from '../../../outside/artifacts.ts'
import type { Render } from '../../../render/generator.ts'
import type { Order } from '../../../render/order.ts'

export type ComponentDefinition = {
  /** A DNS name: the prefix of labels and annotations, and by default also field manager and finalizer. */
  readonly name: string
  readonly kind: ComponentKind
  readonly generator: Generator
  readonly options?: Partial<ComponentOptions>
  readonly hooks?: Partial<Hooks>
  /** Settings that an installation of the operator can change. `context.settings` has the values, and the result of `configure`. */
  readonly settings?: Readonly<Record<string, FunctionSetting>>
  configure?(values: SettingValues): Promise<SettingValues> | SettingValues
}

type ComponentKind = {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
}

/** Returns the objects of a component. `parameters` is a frozen copy: writing to it throws. */
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
  /** The values of the settings that the definition declares. */
  readonly settings: SettingValues
}

/** The context of postRead hooks. postRead hooks run before the cluster of the dependents is known. */
type PostReadContext = CodeContext & {
  /** Impersonates the component's account or user. */
  readonly localClient: Client
  /** Reads the reference at this path, such as `spec.valuesFrom.0`; undefined when the path is not set. */
  reference(path: string): Promise<unknown>
}

/** The context of generators. Both clients impersonate the component's account or user. */
export type ComponentContext = CodeContext & {
  /** A client for the cluster of the dependents. */
  readonly client: ReadClient
  readonly localClient: ReadClient
  readonly componentDigest: string
  /** The value of the reference at this path, such as `spec.valuesFrom.0`; undefined when the path is not set. */
  reference(path: string): unknown
}

export type GeneratorContext = ComponentContext & {
  /**
   * Renders objects, and performs the lookups of templates. An order (chart, kustomization) is rendered in another process with limits on
   * time and memory. A function runs in this process.
   */
  render(render: Render | Order, into: { namespace: string; name: string; parameters: JsonMap }): Promise<KubeObject[]>
}

/** The context of all other hooks. These hooks may write. */
type HookContext = Omit<ComponentContext, 'client' | 'localClient'> & {
  readonly client: Client
  readonly localClient: Client
}

/** `client` is the local client with the function's own identity. Changes of the component's status are saved. */
export type HookOf<Context extends CodeContext> = (
  context: Context,
  client: Client,
  component: KubeObject,
) => Promise<void> | void

export type Hook = HookOf<HookContext>

export type Hooks = {
  /** Hooks after the component was read, once per call. */
  readonly postRead: readonly HookOf<PostReadContext>[]
  /** Hooks before rendering, once per call. */
  readonly preReconcile: readonly Hook[]
  /** Hooks when all dependents are ready. */
  readonly postReconcile: readonly Hook[]
  /** Hooks before any deletion, once per call. */
  readonly preDelete: readonly Hook[]
  /** Hooks when all dependents are gone. */
  readonly postDelete: readonly Hook[]
}

export type ComponentOptions = {
  readonly fieldOwner: string
  readonly finalizer: string
  readonly createMissingNamespaces: boolean
  readonly adoptionPolicy: AdoptionPolicy
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: Extract<DeletePolicy, 'Delete' | 'Orphan'>
  /** A duration such as `1h`. */
  readonly reapplyInterval: string
  /**
   * A service account of the component's namespace. It is impersonated if the component has no `serviceAccountName`, but not in the cluster
   * of a kubeconfig. With a default account, components must not set impersonationUser or impersonationGroups.
   */
  readonly defaultServiceAccount: string
  /** `ownNamespace`: only service accounts of the component's namespace, without groups. */
  readonly impersonationScope: 'any' | 'ownNamespace'
  readonly references: readonly ReferenceOption[]
  /** The parameters of the generator. Default: the spec. */
  readonly parameters: (component: KubeObject) => unknown
  /**
   * True if the result depends only on component, references, parameters and lookups. Results are then cached, and events of the call's own
   * writes do not repeat a call without lookups.
   */
  readonly hasPureGenerator: boolean
  /** Additional status fields. An undefined field is removed. */
  readonly notes: (context: ComponentContext) => JsonMap
  /** The path of the engine's status: `status`, or a field below it. */
  readonly statusPath: string
  readonly reclaimedManagers: readonly string[]
  /** Allowed hosts of kubeconfigs: exact, `*.suffix`, `*`. Loopback, link-local and metadata hosts must be listed exactly. */
  readonly kubeConfigHosts: readonly string[]
  /** Also allows lookups with kubeconfigs for components with an identity of their own, such as a service account. */
  readonly kubeConfigLookups: boolean
  readonly requestsInFlight: number
  /** Replaces or extends the built-in rules for readiness. */
  readonly readiness: (
    ...judged: [...Parameters<NonNullable<EngineSettings['readiness']>>, component: KubeObject]
  ) => ObjectReadiness
  readonly inventory: InventoryAdapter
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Whether CRDs and APIServices get our finalizer. */
  readonly crdFinalizers: boolean
  /** `all`: for definitions of component-operator-runtime, which require all fields in status.inventory. */
  readonly inventoryFields: InventoryFields
  readonly deletionBlockers: DeletionBlockers | ((component: KubeObject) => DeletionBlockers)
  /** `repair`: dependents are still applied while the deletion is blocked. */
  readonly whileBlocked: 'hold' | 'repair'
  /** Configuration in code. An interface that is set here overrides the component's fields. */
  readonly configuration: ConfigurationInCode
}

type DeletionBlockers = 'managed' | 'none' | readonly GroupKind[]

/**
 * Stores the inventory for a kind with its own status format. Each stored item must have group, version, kind, namespace and name. Other
 * fields are recovered from live dependents if possible: drift is found by managedFields, and age is ignored. With purge orders or delete
 * hooks the adapter must also store the phase, because a purged object leaves no trace.
 */
type InventoryAdapter = {
  read(component: KubeObject): readonly JsonMap[]
  /** Returns a merge patch of the status. */
  write(entries: readonly JsonMap[], component: KubeObject): StatusChange
}

export type ReferenceOption = ObjectReference | LoadedReference

type At = {
  /** The path of the referring field. `*` means all elements of a list or all fields of a map. */
  readonly path: string
  /** A missing object does not block the component's deletion. */
  readonly ignoreNotFoundOnDeletion?: boolean
}

/** A reference to a ConfigMap or Secret in the component's namespace. The field is `{name, key?, optional?}`. */
export type ObjectReference = At & {
  readonly kind: ReferenceKind | ((value: JsonMap) => ReferenceKind)
  /** The value is the whole object instead of the text of one key. */
  readonly whole?: boolean
  /** Keys to try in order if the field has no key. */
  readonly fallbackKeys?: readonly string[]
}

type ReferenceKind = 'ConfigMap' | 'Secret'

/** A reference that the definition's code loads. An error of `load` stops the pass. */
export type LoadedReference = At & {
  readonly load: (value: unknown, context: LoadContext) => Promise<unknown> | unknown
  /** A digest of the loaded value. A new digest counts as a change of the component. */
  readonly digest: (loaded: unknown) => string
}

export type LoadContext = {
  readonly component: KubeObject
  /** Impersonates the component's account or user, if it has one. */
  readonly localClient: ReadClient
  readonly artifacts?: Artifacts
  readonly now: Date
  readonly signal: AbortSignal
}

/** Returns the fields of each interface. */
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
