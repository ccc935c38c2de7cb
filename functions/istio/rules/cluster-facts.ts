// What an installation depends on besides the Istio: the cluster that it is made for.
import type { IstioProfileName } from '../../../shared/api/istio/operator.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { own } from '../../../shared/core/json/fields.ts'
import { isMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'

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

/** A Node; its texts are as its kubelet wrote them. */
export type NodeFacts = {
  readonly cpu: string
  readonly memory: string
  readonly kubeletVersion: string
  readonly providerId: string
  readonly osImage: string
}

/** Judged by the capacity of all Nodes together. */
export const profileNameFor = (nodes: readonly NodeFacts[]): IstioProfileName => {
  const isLarge = sum(nodes.map(({ cpu }) => cpu)) >= leastCpu && sum(nodes.map(({ memory }) => memory)) >= leastMemory
  return isLarge ? 'production' : 'evaluation'
}

/** In nano units, so that no part of a CPU is lost. */
const sum = (quantities: readonly string[]): bigint =>
  quantities.reduce((total, one) => total + (one.length > longestQuantity ? 0n : (quantityNano(one) ?? 0n)), 0n)

/** No kubelet writes longer quantities, and parsing very long ones takes long. */
const longestQuantity = 64

const nano = 1_000_000_000n
const leastCpu = 5n * nano
const leastMemory = 10_000_000_000n * nano

// The switches in ConfigMap kyma-system/istio-features. They apply to the Istio whatever its name is, and without an edit of its spec.

export type Features = {
  readonly isCniDisabled: boolean
  /** VerticalPodAutoscalers scale the control plane's memory, so HorizontalPodAutoscalers must not scale by memory. */
  readonly hasControlPlaneVpa: boolean
  /** Why the ConfigMap cannot be read, so that all switches are off. */
  readonly fault?: string
}

/** All switches are off without the ConfigMap, or if its content is broken. */
export const featuresOf = (configMap: KubeObject | undefined): Features => {
  const text = own(mapOrEmpty(configMap?.data), 'features')
  if (typeof text !== 'string') return allOff
  const reading = attempted<unknown>(() => JSON.parse(text))
  if ('failed' in reading) return { ...allOff, fault: `it is no JSON: ${reading.failed}` }
  if (reading.read === null) return allOff
  if (!isMap(reading.read)) return { ...allOff, fault: 'it is no JSON object' }
  const { disableCni = false, enableControlPlaneVPA = false } = reading.read
  const wrong = Object.entries({ disableCni, enableControlPlaneVPA }).find(([, value]) => typeof value !== 'boolean')
  if (wrong) return { ...allOff, fault: `${wrong[0]} is neither true nor false` }
  return { isCniDisabled: disableCni === true, hasControlPlaneVpa: enableControlPlaneVPA === true }
}

const allOff: Features = { isCniDisabled: false, hasControlPlaneVpa: false }
