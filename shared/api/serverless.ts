// Types of serverless.yml, which defines events, access, timeout, concurrency and memory of functions. shared/deploy reads and validates
// the file and derives manifests from it. Host and relay get the result.
export type Landscape = {
  /** Name of the operator and its image. */
  service: string
  /** Functions of Espalier that a user's landscape includes. After reading, `functions` also contains them. */
  include?: string[]
  provider: ProviderSettings
  functions: Record<string, FunctionSettings>
}

export type ProviderSettings = {
  name: 'espalier'
  /** Namespace of host and relay. Our own webhooks never apply to it. */
  namespace: string
  /** All objects of all watched kinds are called again, evenly distributed over this time. */
  sweepSeconds: number
  /** Groups of remote clusters with access Secrets. */
  remotes?: Record<string, RemoteSettings>
}

export type RemoteSettings = {
  namespace: string
  /** Label values of access Secrets. A Secret without the label also matches. A Secret with another value is for another program. */
  optionalLabels: Record<string, string>
  /** The label of the access Secret with the name of the cluster's owner. The cluster's name is `<group>/<value>`. */
  nameLabel: string
  /** Key of the kubeconfig in the Secret. */
  kubeconfigKey: string
  /** Allowed hosts of kubeconfigs: exact, `*.suffix` or `*`. Loopback, link-local and cloud metadata must be listed exactly. */
  allowedHosts: string[]
  /**
   * Whether the relay watches the clusters. Default: true. If false, periodic calls and callbacks from the clusters find changes there.
   */
  watched?: boolean
}

export type FunctionSettings = {
  /** For example `functions/<name>/index.<export>`. */
  handler: string
  description: string
  /** Time limit of a call in seconds. */
  timeout: number
  /** Maximum number of concurrent calls. Calls for the same key are never concurrent. */
  concurrency: number
  /** Idle memory in MiB of a host with only this function: its container's request. The limit is a multiple. */
  memorySize: number
  failureBaseSeconds: number
  failureMaxSeconds: number
  /** Values of the settings that the function declares. The host's Deployment gets them as environment variables. */
  settings?: Record<string, string | number>
  /** Derived from `settings` and the declarations (shared/main/function-settings.ts). */
  environment?: Readonly<Record<string, string>>
  /** Access rules, from which the function's RBAC roles are generated. */
  access: AccessRule[]
  /** Optional rules, granted by applying manifests/grants/<name>.yaml. */
  grants?: AccessRule[]
  events: FunctionEvent[]
}

export type AccessRule = {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
  resourceNames?: string[]
  /** A Role is created in each of these namespaces. Absent: a ClusterRole. */
  namespaces?: string[]
}

export type FunctionEvent =
  | { watch: WatchEventSettings }
  | { schedule: ScheduleSettings }
  | { admission: AdmissionSettings }
  | { inventory: InventorySettings }
  | { callback: CallbackSettings }

/** The changes that cause a call. Creation and deletion always do. */
export type WatchFilter = 'generation' | 'annotations' | 'labels' | 'status' | 'deletion' | 'any'

export type WatchEventSettings = {
  apiVersion: string
  kind: string
  /** For kinds with an irregular plural, such as `redis` for Redis. */
  plural?: string
  /** A remote group, whose clusters are all watched. Absent: the local cluster. */
  cluster?: string
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  /** Watches only metadata. */
  metadataOnly?: boolean
  on: WatchFilter[]
  map: WatchMapping
}

/** How a watched object maps to keys of the function's kind. */
export type WatchMapping =
  | 'self'
  /** The controller owner, if it has the function's kind. */
  | 'owner'
  /** The function decides (POST /functions/<name>/keys). */
  | 'keys'
  /** The owner of the remote cluster: the name in label `nameLabel` of its access Secret, in the namespace of this Secret. */
  | 'cluster'
  /** The value of the label or annotation is the name, in `namespace` or the object's namespace. */
  | { label: string; namespace?: string }
  | { annotation: string; namespace?: string }
  /** A fixed key. */
  | { key: { namespace: string; name: string } }

export type ScheduleSettings = {
  cron: string
  timeZone?: string
  /** Distributes the calls of one tick over this time. */
  spreadSeconds?: number
}

export type AdmissionSettings = {
  type: 'validating' | 'mutating'
  webhook: string
  configuration: string
  path: string
  rules: { apiGroups: string[]; apiVersions: string[]; resources: string[]; operations: string[]; scope?: string }[]
  failurePolicy: 'Fail' | 'Ignore'
  matchPolicy?: 'Exact' | 'Equivalent'
  timeoutSeconds: number
  objectSelector?: unknown
  /** Calls the webhook only for these namespaces. Default: all except ours. */
  namespaces?: string[]
  /** CEL conditions that must all hold. */
  matchConditions?: { name: string; expression: string }[]
  reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** Other clusters report events to `/<contract>/<name>/event` with a client certificate. */
type CallbackSettings = { contracts: string[] }

/** Watches the metadata of dependents: the kinds in the inventories and references of the function's objects. */
export type InventorySettings = {
  /** Path of the list of {apiVersion or group+version, kind, namespace, name}, such as `status.inventory`. */
  path: string
  /** The kind of items that have none, such as a reference to a Secret. */
  kind?: string
  /** The changes of labelled dependents that count. Default: any change. If dependents have no label, any change counts. */
  on?: WatchFilter[]
  /** Label of dependents. Without it, dependents are watched by name. */
  ownerLabel?: string
  /** Annotation of dependents whose value ends with the key, `namespace/name`. */
  ownerAnnotation?: string
  /** The remote group of the dependents' cluster. The object's `clusterLabel` has the name of the cluster. */
  cluster?: string
  clusterLabel?: string
  /** If the object has false at this path, dependents are in the local cluster. */
  remotePath?: string
  /** Path of a reference {name, key} to a kubeconfig Secret in the object's namespace. */
  kubeConfigPath?: string
  /** Allowed hosts, as in `remotes`. Default: none. */
  kubeConfigHosts?: string[]
  /** Also allows lookups with kubeconfigs for components with their own identity, such as a service account. */
  kubeConfigLookups?: boolean
}

type Resource = { readonly group: string; readonly resource: string }

export const includesOrAll = (values: readonly string[], value: string): boolean =>
  values.includes(value) || values.includes('*')

export const namesResource = ({ apiGroups, resources }: AccessRule, { group, resource }: Resource): boolean =>
  includesOrAll(apiGroups, group) && includesOrAll(resources, resource)
