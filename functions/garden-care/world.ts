// The facts on which garden-care decides.
import type { Reading } from '../../shared/core/decisions/reading.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { GardenCareSettings } from './settings.ts'

export type World = {
  readonly garden: Garden
  readonly settings: GardenCareSettings
  /** The answer of the virtual garden's API server to /healthz. */
  readonly apiServer: Reading<ApiServerHealth>
  /** Metadata, status and replicas of Etcds in namespace garden. Empty if the API server does not serve the kind. */
  readonly etcds: Reading<readonly KubeObject[]>
  readonly deployments: Reading<readonly KubeObject[]>
  readonly statefulSets: Reading<readonly KubeObject[]>
  /** ManagedResources in namespaces garden and istio-system. */
  readonly managedResources: Reading<readonly KubeObject[]>
  /** The Deployment istiod in namespace istio-system, whoever created it. */
  readonly istiod: Reading<KubeObject | undefined>
}

export type ApiServerHealth =
  /** The Secret with the kubeconfig is absent, or its kubeconfig is unusable. */
  | { readonly is: 'unknowable' }
  | { readonly is: 'silent'; readonly milliseconds: number; readonly error: string }
  | { readonly is: 'answered'; readonly code: number; readonly body: string }
