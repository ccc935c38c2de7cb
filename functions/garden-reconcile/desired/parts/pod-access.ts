// Labels by which Pods say whom they talk to: network policies allow nothing else.
//
//   workload({ name, podLabels: toRuntimeApiserver, ... })
import { prefixes, virtualGarden } from './names.ts'

export const toDns = { 'networking.gardener.cloud/to-dns': 'allowed' } as const

export const toRuntimeApiserver = { ...toDns, 'networking.gardener.cloud/to-runtime-apiserver': 'allowed' } as const

export const toVirtualGarden = {
  ...toDns,
  [`${prefixes.networking}/to-${virtualGarden('kube-apiserver')}-tcp-443`]: 'allowed',
} as const
