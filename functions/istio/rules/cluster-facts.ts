// What an installation depends on besides the Istio: the cluster that it is made for.
import type { Features } from './features.ts'
import type { NodeFacts } from './nodes.ts'

export type ClusterFacts = {
  /** Sorted by name. */
  readonly nodes: readonly NodeFacts[]
  readonly features: Features
  /** The cluster has addresses of both families, and this flavour of istio may use them. */
  readonly isDualStack: boolean
  /** Somebody wants the load balancer that AWS gave formerly: ConfigMap istio-system/elb-deprecated exists. */
  readonly wantsElb: boolean
  /** The live Service of the ingress gateway says that AWS gave it a network load balancer. */
  readonly hasNlb: boolean
}
