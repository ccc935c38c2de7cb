// What whoever runs Espalier chooses for their installation, beside serverless.yml. The host takes it from its settings
// and hands it to every call; the defaults count where nobody chose.
import type { IstioProfiles } from './istio/operator.ts'

export type Installation = {
  readonly garden: GardenInstallation
  readonly kyma: KymaInstallation
  readonly istio: IstioInstallation
}

/** What there is to install, as it comes with the program. */
export type IstioFiles = {
  readonly profiles: IstioProfiles
  /** The folder of the fallback set. */
  readonly fallbackCharts: string
}

/** Settings of istio. The files are absent where a process does not serve istio. */
export type IstioInstallation = Partial<IstioFiles> & {
  /** Where the charts are: a folder, or `oci://repository:tag` or `@digest`; absent: the fallback set. */
  readonly charts?: string
  /** Absent: those of the profile. */
  readonly images?: IstioImages
  /** The name of the Secret by which the mesh pulls its images. */
  readonly pullSecret?: string
  /** When an Istio that is Ready is called again. */
  readonly reconcileSeconds: number
  /** How long an installation may take before that is an Error. */
  readonly installSeconds: number
  /** `experimental` is accepted. */
  readonly isExperimental: boolean
  /** The Deployment in kyma-system that istio runs in. */
  readonly deployment: string
}

/** References with a tag; the tag of `pilot` is the version that is installed. */
export type IstioImages = {
  readonly pilot: string
  readonly cni: string
  readonly proxy: string
  readonly ztunnel?: string
}

/** Settings of the functions of Kyma's lifecycle. */
export type KymaInstallation = {
  /** When each kind is called again, in seconds. */
  readonly requeue: { readonly kyma: RequeueSeconds; readonly manifest: RequeueSeconds; readonly watcher: number }
  readonly modules: ModuleInstallation
  /** The Secret in the namespace of Kymas by which runtimes pull images; each gets a copy. */
  readonly pullSecret?: string
  /** How events of runtimes get in: through Istio, without it, or (auto) through it where its kinds are served. */
  readonly eventIngress: EventIngress
  /** Where the Gateways are that Watchers may select. Whoever has a Gateway elsewhere gets no events of runtimes. */
  readonly gatewayNamespace: string
  /** Who makes the certificates by which runtimes and the control plane know each other; auto: who is installed. */
  readonly certificates: 'auto' | 'cert-manager' | 'gardener' | 'builtin'
  /** Further names in the certificates of runtimes. */
  readonly certificateNames: readonly string[]
  readonly certificateTimes: CertificateTimes
  /** Who signs the certificates that an operator makes. cert-manager looks for it beside them, in istio-system. */
  readonly certificateIssuer: { readonly namespace: string; readonly name: string }
  readonly purge: PurgeSettings
  /** The agent that reports changes of a runtime to the control plane; absent: runtimes get none. */
  readonly agent?: AgentInstallation
}

/** In seconds. */
export type CertificateTimes = {
  /** How long the certificate of a runtime lives. */
  readonly duration: number
  /** So long before its end it is renewed. */
  readonly renewBefore: number
  /** So much later the metric says that it was not. */
  readonly renewBuffer: number
  /** The listener shows its old certificate for so long after an authority came, until runtimes trust that. */
  readonly gatewayGrace: number
  /** So long before its end the metric says that the listener's certificate is close to it. */
  readonly gatewayExpiryWindow: number
}

type AgentInstallation = {
  readonly image: string
  /** Absent: `usualAgentLimits`. */
  readonly limits?: AgentLimits
  /** `host:port` where the control plane takes events. */
  readonly eventAddress: string
}

/** What the agent's container may take. */
export type AgentLimits = Readonly<Record<'cpu' | 'memory', string>>

export const usualAgentLimits: AgentLimits = { cpu: '100m', memory: '200Mi' }

type EventIngress = 'auto' | 'istio' | 'native'

/** What happens to the objects of modules when the deletion of a Kyma is stuck. */
export type PurgeSettings = {
  /** How long a deletion may take before it counts as stuck. */
  readonly graceSeconds: number
  /** Objects of kinds that modules brought, or those of every custom kind. `none`: no Kyma bears the finalizer of purge. */
  readonly scope: 'modules' | 'all' | 'none'
  /** Kinds that are left alone: `<plural, singular or kind>.<group>` or `*.<group>`. */
  readonly skip: readonly string[]
}

/** Which modules Kymas may have, and when they are updated. */
export type ModuleInstallation = {
  /** `host:port/path` of the registry that holds their descriptors and layers. */
  readonly registry?: string
  /** A Secret beside the Manifests with its credentials (dockerconfigjson). */
  readonly registrySecret?: string
  /** Modules for the Kymas alone that their ModuleReleaseMeta selects. */
  readonly restricted: readonly string[]
  readonly windowPolicyFile: string
  /** A window in which no more time is left than this counts as closed. */
  readonly windowRestSeconds: number
  /** An update reaches all Kymas within so long; 0: at once. */
  readonly rollOutSeconds: number
  /** The signature that every descriptor must carry whose ModuleTemplate names none. */
  readonly signature?: string
}

/** By state; `busy`: it is processing or deleting. `error` is the longest wait after errors. */
export type RequeueSeconds = Readonly<Record<'ready' | 'warning' | 'busy' | 'error', number>>

/** The feature gates that a Garden has. */
export const gardenFeatureGates = ['DefaultSeccompProfile'] as const

export type GardenFeatureGate = (typeof gardenFeatureGates)[number]

export type GardenInstallation = {
  /** How often a Garden that is up is brought up anew. */
  readonly syncSeconds: number
  readonly careSeconds: number
  /** How long the authority lives that signs servers of the runtime cluster. */
  readonly runtimeAuthoritySeconds: number
  /** How long a condition that was True may fail before it is False, by its type; at once for types that are absent. */
  readonly conditionThresholds: Readonly<Record<string, number>>
  readonly featureGates: readonly string[]
  /** Label selectors of further namespaces that get all of the Garden's network policies. */
  readonly namespaceSelectors: readonly string[]
  /** `host:port` to dial instead of the virtual garden's address in kubeconfigs; its name in TLS stays. */
  readonly virtualGardenAddress?: string
  /** `host:port` to dial instead of the backup sidecar of the main etcd; its name in TLS stays. */
  readonly backupSidecarAddress?: string
  /** What there is to run, overrides first; of several rows for a container the first that fits counts. */
  readonly images: readonly ContainerImage[]
}

/** The image of a container: `{ name: 'etcd-druid', repository: 'registry.example/etcd-druid', tag: 'v0.33.0' }`. */
export type ContainerImage = {
  readonly name: string
  readonly repository: string
  /** Absent: `v` and the version of the Garden's Kubernetes. */
  readonly tag?: string
  /** A range of versions of the Garden's Kubernetes; absent: all. */
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
