// How the API server of the virtual garden finds gardener-apiserver, and the rights of gardener-apiserver in the virtual garden. The
// Service has no selector: its endpoint is the address of the Service in the runtime cluster.
import { coerce, minor } from 'semver'
import { parseAddress } from '../../../shared/core/network/cidr.ts'
import { workloadIdentityIssuer } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../shared/core/yaml/write.ts'
import { findObject } from '../rules/objects.ts'
import { caBundleNow } from '../rules/secrets/existing-secrets.ts'
import type { World } from '../world.ts'
import { programLabels } from './control-plane/control-plane.ts'
import { managedResource } from './parts/config-object.ts'
import { gardenerVersion } from './parts/images.ts'
import { namespace as garden, publicNamespace } from './parts/names.ts'
import {
  everything,
  gardenClusterRole,
  gardenClusterRoleBinding,
  roleBinding,
  serviceAccountSubject,
} from './parts/rbac.ts'

const name = 'gardener-apiserver'
const namespace = 'kube-system'
const labels = programLabels('apiserver')
const account = [serviceAccountSubject(name, namespace)]

const served = [
  ...['v1.core', 'v1beta1.core', 'v1alpha1.seedmanagement', 'v1alpha1.operations', 'v1alpha1.settings'],
  'v1alpha1.security',
]

export const gardenerApiserverService = { apiVersion: 'v1', kind: 'Service', namespace: garden, name } as const

export const gardenerApiserverAddress = ({ runtime }: World): string | undefined => {
  const service = findObject(runtime, gardenerApiserverService)
  const { clusterIP } = (service?.spec ?? {}) as { clusterIP?: string }
  return clusterIP || undefined
}

/** ManagedResource gardener-apiserver-virtual. Empty while the Service has no address. */
export const gardenerApiserverInVirtualGarden = (world: World): KubeObject[] => {
  const address = gardenerApiserverAddress(world)
  if (address === undefined) return []
  const caBundle = caBundleNow(world, 'ca-gardener')
  const objects = [
    ...served.map(text => apiService(text, caBundle)),
    service,
    ...endpointsFor(world, address),
    ...rights,
    gardenerInfo(world),
  ]
  return managedResource(`${name}-virtual`, { where: 'virtual', objects })
}

/** `v1beta1.core` */
const apiService = (text: string, caBundle: string): KubeObject => {
  const [version, group] = text.split('.')
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${text}.gardener.cloud`, labels },
    spec: {
      group: `${group}.gardener.cloud`,
      version,
      caBundle,
      service: { name, namespace, port: 443 },
      groupPriorityMinimum: 10000,
      versionPriority: 20,
    },
  }
}

const service: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels },
  spec: { type: 'ClusterIP', ports: [{ port: 443, targetPort: 443, protocol: 'TCP' }] },
}

/**
 * kube-apiserver reads EndpointSlices from 1.34 on, and Endpoints before. No controller in the virtual garden converts between the two
 * kinds. 1.33 gets both kinds, so that an upgrade loses neither.
 */
const endpointsFor = ({ garden }: World, address: string): KubeObject[] => {
  const kubernetes = minor(coerce(garden.spec.virtualCluster.kubernetes.version) ?? '0.0.0')
  return [...(kubernetes < 34 ? [endpoints(address)] : []), ...(kubernetes > 32 ? [endpointSlice(address)] : [])]
}

const endpointSlice = (address: string): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace, labels: { ...labels, 'kubernetes.io/service-name': name } },
  addressType: parseAddress(address)?.family ?? 'FQDN',
  endpoints: [{ addresses: [address] }],
  ports: [{ port: 443, protocol: 'TCP' }],
})

const endpoints = (ip: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name, namespace, labels },
  subsets: [{ addresses: [{ ip }], ports: [{ port: 443, protocol: 'TCP' }] }],
})

/** Before it starts, a gardenlet compares this version with its own version. */
const gardenerInfo = (world: World): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: publicNamespace, name: 'gardener-info' },
  data: {
    gardenerAPIServer: yamlOf({
      version: gardenerVersion(world.settings),
      workloadIdentityIssuerURL: workloadIdentityIssuer(world.garden),
    }),
  },
})

const rights: readonly KubeObject[] = [
  gardenClusterRole('gardener.cloud:system:apiserver', [everything]),
  gardenClusterRoleBinding('gardener.cloud:system:apiserver', account),
  gardenClusterRoleBinding('gardener.cloud:apiserver:auth-delegator', account, 'system:auth-delegator'),
  roleBinding(
    { namespace, name: 'gardener.cloud:apiserver:auth-reader' },
    account,
    'extension-apiserver-authentication-reader',
  ),
]
