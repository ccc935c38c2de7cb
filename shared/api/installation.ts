// Settings of an installation beside serverless.yml. The host reads them and passes them to each call. Defaults are below.
import type { IstioProfiles } from './istio/operator.ts'

export type Installation = {
  readonly garden: GardenInstallation
  readonly kyma: KymaInstallation
  readonly istio: IstioInstallation
}

export type IstioFiles = {
  readonly profiles: IstioProfiles
  readonly fallbackCharts: string
}

/** Settings of istio. The files are absent in processes without istio. */
export type IstioInstallation = Partial<IstioFiles> & {
  /** The charts: a folder, or `oci://repository` with `:tag` or `@digest`. Default: the fallback charts. */
  readonly charts?: string
  /** Default: the images of the profile. */
  readonly images?: IstioImages
  readonly pullSecret?: string
  /** Requeue time of a Ready Istio. */
  readonly reconcileSeconds: number
  /** How long an installation may take before it is an Error. */
  readonly installSeconds: number
  /** Whether `experimental` is accepted. */
  readonly isExperimental: boolean
  /** The Deployment of istio in kyma-system. */
  readonly deployment: string
}

/** Image references with a tag. The tag of `pilot` is the installed version. */
export type IstioImages = {
  readonly pilot: string
  readonly cni: string
  readonly proxy: string
  readonly ztunnel?: string
}

export type KymaInstallation = {
  /** Requeue times in seconds. */
  readonly requeue: { readonly kyma: RequeueSeconds; readonly manifest: RequeueSeconds; readonly watcher: number }
  readonly modules: ModuleInstallation
  /** The Secret in the Kymas' namespace for pulling images in runtimes; each runtime gets a copy. */
  readonly pullSecret?: string
  /** The way of runtimes' events: through Istio, without it, or (auto) through Istio if its kinds are served. */
  readonly eventIngress: EventIngress
  /** The namespace of the Gateways that Watchers may select. Gateways in other namespaces get no route for events. */
  readonly gatewayNamespace: string
  /** The issuer of certificates for runtimes and the control plane. auto: whichever is installed. */
  readonly certificates: 'auto' | 'cert-manager' | 'gardener' | 'builtin'
  /** Additional names in certificates of runtimes. */
  readonly certificateNames: readonly string[]
  readonly certificateTimes: CertificateTimes
  /** The issuer for certificates of an operator. cert-manager looks for it in istio-system. */
  readonly certificateIssuer: { readonly namespace: string; readonly name: string }
  readonly purge: PurgeSettings
  /** The agent that reports changes of a runtime. Absent: runtimes get none. */
  readonly agent?: AgentInstallation
}

/** Times in seconds. */
export type CertificateTimes = {
  readonly duration: number
  /** Renewal before the end. */
  readonly renewBefore: number
  /** After this time without renewal, the metric reports it. */
  readonly renewBuffer: number
  /** How long the listener keeps its old certificate after a new authority, until runtimes trust the authority. */
  readonly gatewayGrace: number
  /** The metric reports the listener's certificate this long before its end. */
  readonly gatewayExpiryWindow: number
}

type AgentInstallation = {
  readonly image: string
  /** Default: `usualAgentLimits`. */
  readonly limits?: AgentLimits
  /** `host:port` of the control plane for events. */
  readonly eventAddress: string
}

export type AgentLimits = Readonly<Record<'cpu' | 'memory', string>>

export const usualAgentLimits: AgentLimits = { cpu: '100m', memory: '200Mi' }

type EventIngress = 'auto' | 'istio' | 'native'

/** How objects of modules are purged when the deletion of a Kyma is stuck. */
export type PurgeSettings = {
  /** After this time a deletion counts as stuck. */
  readonly graceSeconds: number
  /** `modules`: kinds of modules. `all`: all custom kinds. `none`: no purge, and no Kyma has its finalizer. */
  readonly scope: 'modules' | 'all' | 'none'
  /** Excluded kinds: `<plural, singular or kind>.<group>` or `*.<group>`. */
  readonly skip: readonly string[]
}

export type ModuleInstallation = {
  /** `host:port/path` of the registry with descriptors and layers. */
  readonly registry?: string
  /** The Secret with the registry's credentials (dockerconfigjson), in the Manifests' namespace. */
  readonly registrySecret?: string
  /** Modules only for Kymas that their ModuleReleaseMeta selects. */
  readonly restricted: readonly string[]
  readonly windowPolicyFile: string
  /** A maintenance window counts as closed when no more time than this is left. */
  readonly windowRestSeconds: number
  /** The time over which an update is spread; 0: at once. */
  readonly rollOutSeconds: number
  /** The required signature of descriptors whose ModuleTemplate names none. */
  readonly signature?: string
}

/** By state. `busy`: Processing or Deleting. `error`: the longest wait after errors. */
export type RequeueSeconds = Readonly<Record<'ready' | 'warning' | 'busy' | 'error', number>>

export const gardenFeatureGates = ['DefaultSeccompProfile'] as const

export type GardenFeatureGate = (typeof gardenFeatureGates)[number]

export type GardenInstallation = {
  /** Time between two reconciliations of a Garden that is up. */
  readonly syncSeconds: number
  readonly careSeconds: number
  /** Lifetime of the authority for servers in the runtime cluster. */
  readonly runtimeAuthoritySeconds: number
  /** How long a condition that was True may fail before it is False, by type. Default: not at all. */
  readonly conditionThresholds: Readonly<Record<string, number>>
  readonly featureGates: readonly string[]
  /** Label selectors of additional namespaces for all of the Garden's network policies. */
  readonly namespaceSelectors: readonly string[]
  /** Replaces the virtual garden's address in kubeconfigs (`host:port`). TLS still checks the original name. */
  readonly virtualGardenAddress?: string
  /** Replaces the address of the main etcd's backup sidecar (`host:port`). TLS still checks the original name. */
  readonly backupSidecarAddress?: string
  /** Images, overrides first. The first matching row for a container counts. */
  readonly images: readonly ContainerImage[]
}

/** For example `{ name: 'etcd-druid', repository: 'registry.example/etcd-druid', tag: 'v0.33.0' }`. */
export type ContainerImage = {
  readonly name: string
  readonly repository: string
  /** Default: `v` and the Garden's Kubernetes version. */
  readonly tag?: string
  /** A range of the Garden's Kubernetes versions. Default: all. */
  readonly targetVersion?: string
}

const usualRequeue: RequeueSeconds = { ready: 300, warning: 30, busy: 5, error: 30 }

const usualModules: ModuleInstallation = {
  restricted: [],
  windowPolicyFile: '/etc/maintenance-policy/policy.json',
  windowRestSeconds: 1_200,
  rollOutSeconds: 0,
}

export const defaultInstallation: Installation = {
  istio: {
    reconcileSeconds: 36_000,
    installSeconds: 360,
    isExperimental: false,
    deployment: 'istio-controller-manager',
  },
  kyma: {
    requeue: { kyma: usualRequeue, manifest: usualRequeue, watcher: 60 },
    eventIngress: 'auto',
    gatewayNamespace: 'kcp-system',
    certificates: 'auto',
    certificateNames: [],
    certificateTimes: {
      duration: 5_184_000,
      renewBefore: 2_592_000,
      renewBuffer: 86_400,
      gatewayGrace: 345_600,
      gatewayExpiryWindow: 1_209_600,
    },
    certificateIssuer: { namespace: 'istio-system', name: 'klm-watcher-selfsigned' },
    purge: { graceSeconds: 300, scope: 'modules', skip: [] },
    modules: usualModules,
  },
  garden: {
    syncSeconds: 3_600,
    careSeconds: 60,
    runtimeAuthoritySeconds: 2_592_000,
    conditionThresholds: {
      VirtualGardenAPIServerAvailable: 60,
      RuntimeComponentsHealthy: 60,
      VirtualComponentsHealthy: 60,
      ObservabilityComponentsHealthy: 60,
    },
    featureGates: [],
    namespaceSelectors: [],
    images: [],
  },
}
