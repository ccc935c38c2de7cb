// All that istio knows when it decides.
import type { IstioInstallation } from '../../shared/api/installation.ts'
import type { IstioFields } from '../../shared/api/istio.ts'
import type { World as EngineWorld } from '../../shared/component/world.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Reading } from '../../shared/core/reading.ts'
import type { ResourceRow } from './desired/resources/resource-row.ts'
import type { Blocking } from './rules/blocking.ts'
import type { ClusterFacts } from './rules/cluster-facts.ts'
import type { IstioFinding } from './rules/findings.ts'
import type { NamedRestarts } from './rules/restarts/named-workloads.ts'
import type { Survey } from './rules/restarts/survey.ts'
import type { EndedChange, UnnotedTarget } from './rules/restarts/targets.ts'

/** With an empty spec where it has none. */
export type Istio = KubeObject & IstioFields

export type World = {
  /** The Istio of this call. */
  readonly istio: Istio
  /** Metadata of all in kyma-system. */
  readonly istios: Reading<readonly KubeObject[]>
  readonly settings: IstioInstallation
  /** What the parts know, each under its name. Those below a part that stops know nothing: it was not read. */
  readonly facts: Facts
}

export type Facts = {
  readonly ownership?: OwnershipFacts
  readonly installation?: InstallationFacts
  readonly podVersions?: PodVersionsFacts
  readonly resources?: ResourcesFacts
  readonly envoyFilters?: EnvoyFiltersFacts
  readonly blocking?: BlockingFacts
  readonly removal?: RemovalFacts
  readonly leftovers?: LeftoversFacts
  readonly formerSidecars?: FormerSidecarsFacts
  readonly ingressGateway?: NamedRestarts
  readonly controlPlane?: NamedRestarts
  readonly sidecars?: SidecarsFacts
  readonly istiodLabels?: IstiodLabelsFacts
}

export type PartName = keyof Facts

export type OwnershipFacts = {
  /** Deployment istio-system/istiod. */
  readonly istiod: KubeObject | undefined
}

export type InstallationFacts = { readonly cluster: ClusterFacts } & (
  | {
      readonly is: 'possible'
      /** What the engine knows of the objects that are installed. */
      readonly dependents: EngineWorld
      /** Where the charts came from, with their version and digest. */
      readonly source: string
    }
  | { readonly is: 'impossible'; readonly finding: IstioFinding }
)

export type IstiodLabelsFacts = {
  /** Metadata of what istiod made for itself. */
  readonly found: readonly KubeObject[]
}

export type PodVersionsFacts = {
  /** Of the module, in istio-system; those that are going, or over, are left out. */
  readonly pods: readonly KubeObject[]
}

export type ResourcesFacts = {
  /** The mesh resources there may be. */
  readonly rows: readonly ResourceRow[]
  /** By the name of a row (resourceName). Those whose kind is not served are left out. */
  readonly live: ReadonlyMap<string, Reading<KubeObject | undefined>>
  readonly isVpaServed: boolean
  /** Where Pods reach the API server. */
  readonly apiPort: number
}

export type EnvoyFiltersFacts = {
  /** Those of users that select the ingress gateway. */
  readonly forIngress: Reading<readonly KubeObject[]>
}

export type BlockingFacts = {
  /** Of users, which must go before Istio does. */
  readonly resources: Reading<Blocking>
}

export type SidecarsFacts =
  /** What sidecars are to be like cannot be told, which another part says. */
  | { readonly is: 'unknown' }
  | { readonly is: 'unnoted'; readonly noted: UnnotedTarget }
  | {
      readonly is: 'surveyed'
      /** The Pods whose sidecars are not as they are to be. */
      readonly survey: Reading<Survey>
      /** Earlier passes of this call restarted some. */
      readonly hasActed: boolean
      /** Of fields that sidecars are restarted for. */
      readonly ended?: EndedChange
    }

export type RemovalFacts = {
  /** What the engine knows of the objects that were installed. */
  readonly dependents: Reading<EngineWorld>
}

export type FormerSidecarsFacts = {
  /** Owners of Pods with a sidecar of the mesh that was removed; `isCutShort`: there may be more. */
  readonly survey: Reading<Pick<Survey, 'due' | 'isCutShort'>>
}

export type LeftoversFacts = {
  /** Mesh resources outside of the Istio's namespace. */
  readonly resources: Reading<readonly KubeObject[]>
}
