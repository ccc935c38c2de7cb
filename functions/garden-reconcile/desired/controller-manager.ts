// kube-controller-manager of the virtual garden, with only the controllers that a cluster without nodes needs. It has no key to sign tokens
// of ServiceAccounts: with such a key it would create token Secrets, whichever controllers are listed.
import type { GardenFields } from '../../../shared/api/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { SecretConfigName } from '../rules/secrets/secret-configs.ts'
import type { World } from '../world.ts'
import { apiServerProbe } from './apiserver-parts/api-server.ts'
import {
  bundleFiles,
  type Flag,
  fixedFlags,
  flagTexts,
  podFiles,
  secretFiles,
  switches,
  tlsCipherSuites,
} from './apiserver-parts/pod-tables.ts'
import { managedResource } from './parts/config-object.ts'
import { imageFields } from './parts/images.ts'
import { namespace, ownershipLabel, role, virtualGarden } from './parts/names.ts'
import { gardenClusterRoleBinding, serviceAccountSubject } from './parts/rbac.ts'
import { clusterIpService, toVirtualGarden } from './parts/services.ts'
import { clientFiles, nonroot, requests, virtualGardenClient, workload } from './parts/workload.ts'

const name = virtualGarden('kube-controller-manager')
const account = 'kube-controller-manager'
const labels = { app: 'kubernetes', role: 'controller-manager' }
const port = 10257

export const controllerManagerSecrets: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'kube-controller-manager-server', 'generic-token-kubeconfig'] as const),
]

export const controllerManager = (world: World): KubeObject[] => {
  const access = virtualGardenClient(world, account)
  const { volumes, volumeMounts } = podFiles(files, { world })
  const container = {
    ...imageFields(world, account),
    command: ['/usr/local/bin/kube-controller-manager'],
    args: flagTexts(flags, settingsOf(world)),
    ports: [{ name: 'metrics', containerPort: port, protocol: 'TCP' }],
    livenessProbe: { ...apiServerProbe({ path: '/healthz', port }, 15), failureThreshold: 2 },
    resources: requests('100m', '128Mi'),
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts: [...volumeMounts, access.mount],
  }
  return [
    access.secret,
    ...workload({
      name,
      replicas: 1,
      type: 'controller',
      priority: 300,
      labels,
      podLabels: { ...role('controlplane'), ...toVirtualGarden },
      pod: {
        automountServiceAccountToken: false,
        securityContext: nonroot,
        containers: [container],
        volumes: [...volumes, access.volume],
      },
    }),
    service,
    ...managedResource('shoot-core-kube-controller-manager', { where: 'virtual', objects: [clusterRoleBinding] }),
  ]
}

type Settings = NonNullable<GardenFields['spec']['virtualCluster']['kubernetes']['kubeControllerManager']>

const settingsOf = ({ garden }: World): Settings => garden.spec.virtualCluster.kubernetes.kubeControllerManager ?? {}

const folders = {
  ca: '/srv/kubernetes/ca',
  caClient: '/srv/kubernetes/ca-client',
  server: '/srv/kubernetes/controller-manager',
} as const

const controllers = [
  ...['namespace', 'serviceaccount', 'clusterrole-aggregation', 'garbagecollector', 'csrapproving', 'csrcleaner'],
  ...['csrsigning', 'bootstrapsigner', 'tokencleaner', 'resourcequota'],
]

const flags: readonly Flag<Settings>[] = [
  ...fixedFlags({
    'authentication-kubeconfig': clientFiles.kubeconfig,
    'authorization-kubeconfig': clientFiles.kubeconfig,
    kubeconfig: clientFiles.kubeconfig,
    controllers: controllers.join(),
    'cluster-name': namespace,
    'cluster-signing-kube-apiserver-client-cert-file': `${folders.caClient}/ca.crt`,
    'cluster-signing-kube-apiserver-client-key-file': `${folders.caClient}/ca.key`,
    'cluster-signing-legacy-unknown-cert-file': `${folders.caClient}/ca.crt`,
    'cluster-signing-legacy-unknown-key-file': `${folders.caClient}/ca.key`,
    'concurrent-gc-syncs': 250,
    'concurrent-namespace-syncs': 100,
    'concurrent-resource-quota-syncs': 100,
    'resource-quota-sync-period': '1m',
    'root-ca-file': `${folders.ca}/bundle.crt`,
    'secure-port': port,
    'tls-cert-file': `${folders.server}/tls.crt`,
    'tls-private-key-file': `${folders.server}/tls.key`,
    'tls-cipher-suites': tlsCipherSuites.join(),
    profiling: false,
    'use-service-account-credentials': true,
    v: 2,
  }),
  { flag: 'cluster-signing-duration', value: ({ certificateSigningDuration }) => certificateSigningDuration },
  { flag: 'feature-gates', value: ({ featureGates }) => switches(featureGates) },
]

const files = [
  bundleFiles('ca', folders.ca),
  secretFiles('ca-client', folders.caClient),
  { ...secretFiles('kube-controller-manager-server', folders.server), volume: 'server' },
]

const service = clusterIpService({
  name,
  labels: { ...labels, ...ownershipLabel },
  selector: labels,
  spec: { clusterIP: 'None' },
  ports: [{ name: 'metrics', port, protocol: 'TCP' }],
})

const clusterRoleBinding = gardenClusterRoleBinding(
  'gardener.cloud:target:kube-controller-manager',
  [serviceAccountSubject(account, 'kube-system')],
  'system:kube-controller-manager',
)
