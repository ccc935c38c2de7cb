// serverless.yml as types: the single place where a function's events, access, timeout, concurrency and memory are written.
// shared/deploy reads and validates the file and derives manifests from it; the host and the relay get this value.

export type Landscape = {
  /** The name of the operator, and of its image. */
  service: string
  /** Functions of Espalier that a landscape of somebody's own takes along; once it is read, they are among its functions. */
  include?: string[]
  provider: ProviderSettings
  functions: Record<string, FunctionSettings>
}

export type ProviderSettings = {
  name: 'espalier'
  /** Namespace the host and the relay run in: never subject to our own webhooks. */
  namespace: string
  /** Every object of every watched kind is called again at least so often, spread over the interval. */
  sweepSeconds: number
  /** Groups of remote clusters, by the access Secrets that lead to them. */
  remotes?: Record<string, RemoteSettings>
}

export type RemoteSettings = {
  namespace: string
  /** What the labels of an access Secret must say where it has them: another value means that the Secret is for another program. */
  optionalLabels: Record<string, string>
  /** Label of the access Secret whose value names the cluster's owner: the cluster is called `<group>/<value>`. */
  nameLabel: string
  /** Key of the Secret that holds the kubeconfig. */
  kubeconfigKey: string
  /** Hosts a kubeconfig may lead to: exact, `*.suffix` or `*`; loopback, link-local and cloud metadata only when listed exactly. */
  allowedHosts: string[]
}

export type FunctionSettings = {
  /** `functions/<name>/index.<export>` */
  handler: string
  description: string
  /** Seconds a call may take. */
  timeout: number
  /** Calls the relay keeps in flight at most, never two for one key. */
  concurrency: number
  /** MiB that a host of this function alone takes at rest: its container's request. The limit is several times that. */
  memorySize: number
  failureBaseSeconds: number
  failureMaxSeconds: number
  /** Kinds the function may touch: the source of its RBAC roles. */
  access: AccessRule[]
  /** What it may do besides, once an operator applies manifests/grants/<name>.yaml. */
  grants?: AccessRule[]
  events: FunctionEvent[]
}

export type AccessRule = {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
  resourceNames?: string[]
  /** Given: a Role in each of these namespaces. Absent: a ClusterRole. */
  namespaces?: string[]
}

export type FunctionEvent =
  | { watch: WatchEventSettings }
  | { schedule: ScheduleSettings }
  | { admission: AdmissionSettings }
  | { inventory: InventorySettings }
  | { callback: CallbackSettings }

/** Which changes of an object count; any of them lets an event through. Creation and the end always do. */
export type WatchFilter = 'generation' | 'annotations' | 'labels' | 'status' | 'deletion' | 'any'

export type WatchEventSettings = {
  apiVersion: string
  kind: string
  /** Where it is not what English makes of the kind, as `redis` of Redis. */
  plural?: string
  /** A remote group: the watch runs in each of its clusters. Absent: the local cluster. */
  cluster?: string
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  /** Only metadata is needed to filter and map. */
  metadataOnly?: boolean
  on: WatchFilter[]
  map: WatchMapping
}

/** How a watched object leads to keys of the function's own kind. */
export type WatchMapping =
  | 'self'
  /** The controller owner of the function's kind. */
  | 'owner'
  /** The function answers POST /functions/<name>/keys. */
  | 'keys'
  /** Whom the remote cluster belongs to: the name its access Secret's `nameLabel` gives, in that Secret's namespace. */
  | 'cluster'
  /** The label's value is the name (namespace: the object's, or `namespace`); `annotation` likewise. */
  | { label: string; namespace?: string }
  | { annotation: string; namespace?: string }
  /** Always this one. */
  | { key: { namespace: string; name: string } }

export type ScheduleSettings = {
  cron: string
  timeZone?: string
  /** The calls of one tick are spread over so many seconds. */
  spreadSeconds?: number
}

export type AdmissionSettings = {
  type: 'validating' | 'mutating'
  /** Name of the webhook in its configuration. */
  webhook: string
  configuration: string
  /** Path below /webhooks/. */
  path: string
  rules: { apiGroups: string[]; apiVersions: string[]; resources: string[]; operations: string[]; scope?: string }[]
  failurePolicy: 'Fail' | 'Ignore'
  matchPolicy?: 'Exact' | 'Equivalent'
  timeoutSeconds: number
  objectSelector?: unknown
  /** The webhook is called for objects of these namespaces and of none. Absent: of all but ours. */
  namespaces?: string[]
  /** CEL: the webhook is called only when all of them hold. */
  matchConditions?: { name: string; expression: string }[]
  reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** Other clusters report events at `/<contract>/<name>/event`, with a client certificate. */
type CallbackSettings = { contracts: string[] }

/** Kinds named in the inventories and references of the function's own objects are watched, metadata only. */
export type InventorySettings = {
  /** Where the list of {apiVersion or group+version, kind, namespace, name} lies in the object, e.g. `status.inventory`. */
  path: string
  /** Of items that name none, such as a reference to a Secret. */
  kind?: string
  /** Which changes of dependents with the label count; any when absent. Of those that are watched by name any does. */
  on?: WatchFilter[]
  /** Dependents carry this label; … */
  ownerLabel?: string
  /** … and this annotation, whose value ends in the key, `namespace/name`. Without a label they are watched by name. */
  ownerAnnotation?: string
  /** The dependents are in a cluster of this remote group: that whose name the object's `clusterLabel` gives. */
  cluster?: string
  clusterLabel?: string
  /** But in the local cluster where the object says false at this path. */
  remotePath?: string
  /** Or where a kubeconfig leads: path of the reference {name, key} to its Secret in the object's namespace. */
  kubeConfigPath?: string
  /** Hosts it may lead to, as in `remotes`; none when absent. */
  kubeConfigHosts?: string[]
  /** Templates of components that act as somebody else, such as a service account, may look things up with kubeconfigs, too. */
  kubeConfigLookups?: boolean
}
