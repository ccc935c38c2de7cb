// The facts on which istio decides. Facts of a part are read when its stage is reached.
import type { IstioFields } from '../../shared/api/istio.ts'
import type { World as EngineWorld } from '../../shared/component/world.ts'
import type { Reading } from '../../shared/core/decisions/reading.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { ResourceRow } from './desired/resource-row.ts'
import type { ClusterFacts } from './rules/cluster-facts.ts'
import type { IstioFinding } from './rules/findings.ts'
import type { Survey } from './rules/restarts/pod-survey.ts'
import type { EndedChange, NamedRestarts, Noted } from './rules/restarts/restart-notes.ts'
import type { Blocking } from './rules/users-resources.ts'
import type { IstioSettings } from './settings.ts'

/** An Istio. `spec` is empty if the object has no spec. */
export type Istio = KubeObject & IstioFields

export type World = {
  readonly istio: Istio
  readonly istios: Reading<readonly KubeObject[]>
  readonly settings: IstioSettings
  /** Where istio's own status fields are stored (rules/status.ts). */
  readonly keptIn: 'status' | 'annotation'
  /** Facts by part. A part's facts are absent if its stage was not reached. */
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
  readonly istiod: KubeObject | undefined
}

export type InstallationFacts = { readonly cluster: ClusterFacts } & (
  | {
      readonly is: 'possible'
      /** The installed objects in the engine of shared/component. */
      readonly dependents: EngineWorld
      /** The origin of the charts: version and digest, or `fallback`. */
      readonly source: string
    }
  | { readonly is: 'impossible'; readonly finding: IstioFinding }
)

export type IstiodLabelsFacts = {
  /** The metadata of istiod's own objects. */
  readonly found: readonly KubeObject[]
}

export type PodVersionsFacts = {
  /** The module's Pods in istio-system that are neither in deletion nor finished. */
  readonly pods: readonly KubeObject[]
}

export type ResourcesFacts = {
  /** All mesh resources, including unwanted resources. */
  readonly rows: readonly ResourceRow[]
  /** Live resources by resourceName. No entry: the kind is not served. An undefined entry: the resource does not exist. */
  readonly live: ReadonlyMap<string, Reading<KubeObject | undefined>>
  readonly isVpaServed: boolean
  readonly apiPort: number
}

export type EnvoyFiltersFacts = {
  readonly forIngress: Reading<readonly KubeObject[]>
}

export type BlockingFacts = {
  /** Users' resources that must be deleted before Istio is removed. */
  readonly resources: Reading<Blocking>
}

export type SidecarsFacts =
  /** The desired sidecar is unknown; part installation reports why. */
  | { readonly is: 'unknown' }
  | { readonly is: 'unnoted'; readonly noted: Noted }
  | {
      readonly is: 'surveyed'
      /** The owners of Pods that need new sidecars. */
      readonly survey: Reading<Survey>
      /** Earlier passes of this call tried restarts. */
      readonly hasActed: boolean
      /** A finished change of fields that need restarts of sidecars. */
      readonly ended?: EndedChange
      /** The missing or fresh note, present only if no sidecar needs a restart because of it. */
      readonly noted?: Noted
    }

export type RemovalFacts = {
  /** The objects still installed, in the engine of shared/component. */
  readonly dependents: Reading<EngineWorld>
}

export type FormerSidecarsFacts = {
  /** The owners of Pods with sidecars of the removed mesh. `isCutShort`: more such owners may exist. */
  readonly survey: Reading<Pick<Survey, 'due' | 'isCutShort'>>
}

export type LeftoversFacts = {
  /** Mesh resources outside the Istio's namespace. */
  readonly resources: Reading<readonly KubeObject[]>
}
