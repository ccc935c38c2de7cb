// What the Nodes say about the cluster: its size, and its provider.
import type { IstioProfileName } from '../../../shared/api/istio/operator.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'

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
