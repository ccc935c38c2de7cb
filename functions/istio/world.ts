// All that istio knows when it decides. What each part knows is read when the stage of the part is reached.
import type { IstioInstallation } from '../../shared/api/installation.ts'
import type { IstioFields } from '../../shared/api/istio.ts'
import type { World as EngineWorld } from '../../shared/component/world.ts'
import type { Reading } from '../../shared/core/decisions/reading.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { ResourceRow } from './desired/resources/resource-row.ts'
import type { Blocking } from './rules/blocking.ts'
import type { ClusterFacts } from './rules/cluster-facts.ts'
import type { IstioFinding } from './rules/findings.ts'
import type { Survey } from './rules/restarts/pod-survey.ts'
import type { EndedChange, NamedRestarts, Noted } from './rules/restarts/restart-notes.ts'

/** An Istio; one without spec gets an empty one. */
export type Istio = KubeObject & IstioFields

export type World = {
  readonly istio: Istio
  /** Metadata of all Istios in kyma-system. */
  readonly istios: Reading<readonly KubeObject[]>
  readonly settings: IstioInstallation
  /** Where the Istio keeps what istio notes of its work (rules/kept-status.ts). */
  readonly keptIn: 'status' | 'annotation'
  /** What each part knows, under its name. Absent: a part above it writes or holds, so its facts were not read. */
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
      /** The installed objects, as the engine of shared/component knows them. */
      readonly dependents: EngineWorld
      /** The origin of the charts, with version and digest. */
      readonly source: string
    }
  | { readonly is: 'impossible'; readonly finding: IstioFinding }
)

export type IstiodLabelsFacts = {
  /** Metadata of objects that istiod made for itself. */
  readonly found: readonly KubeObject[]
}

export type PodVersionsFacts = {
  /** The module's Pods in istio-system, without those in deletion or finished. */
  readonly pods: readonly KubeObject[]
}

export type ResourcesFacts = {
  /** All mesh resources, also those that are not wanted now. */
  readonly rows: readonly ResourceRow[]
  /** By resourceName. A resource whose kind is not served is absent; one that does not exist is undefined. */
  readonly live: ReadonlyMap<string, Reading<KubeObject | undefined>>
  readonly isVpaServed: boolean
  readonly apiPort: number
}

export type EnvoyFiltersFacts = {
  /** EnvoyFilters of users that select the ingress gateway. */
  readonly forIngress: Reading<readonly KubeObject[]>
}

export type BlockingFacts = {
  /** Resources of users that must be deleted before Istio is removed. */
  readonly resources: Reading<Blocking>
}

export type SidecarsFacts =
  /** It is not known what sidecars should be like; part installation reports why. */
  | { readonly is: 'unknown' }
  | { readonly is: 'unnoted'; readonly noted: Noted }
  | {
      readonly is: 'surveyed'
      /** Owners of the Pods that need new sidecars. */
      readonly survey: Reading<Survey>
      /** Earlier passes of this call tried to restart some. */
      readonly hasActed: boolean
      /** A change, now over, of fields that sidecars are restarted for. */
      readonly ended?: EndedChange
      /** What the status has not noted long enough, though no sidecar has to be restarted for it. */
      readonly noted?: Noted
    }

export type RemovalFacts = {
  /** The objects that are still installed, as the engine of shared/component knows them. */
  readonly dependents: Reading<EngineWorld>
}

export type FormerSidecarsFacts = {
  /** Owners of Pods with a sidecar of the mesh that was removed; `isCutShort`: there may be more. */
  readonly survey: Reading<Pick<Survey, 'due' | 'isCutShort'>>
}

export type LeftoversFacts = {
  /** Mesh resources in other namespaces than the Istio's. */
  readonly resources: Reading<readonly KubeObject[]>
}
