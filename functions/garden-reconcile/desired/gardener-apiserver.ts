// gardener-apiserver: the second API server of the virtual garden, for Gardener's own kinds. It stores objects in the main etcd and
// authenticates clients through kube-apiserver. Both servers share flags and files (apiserver-parts).
import type { GardenFields } from '../../../shared/api/garden.ts'
import { workloadIdentityIssuer } from '../../../shared/core/objects/garden.ts'
import { type KubeObject, refText } from '../../../shared/core/objects/object.ts'
import { waitText } from '../rules/readiness.ts'
import type { SecretConfigName } from '../rules/secrets/secret-configs.ts'
import type { World } from '../world.ts'
import { type ApiServer, apiServerProbe, apiServerRollout } from './apiserver-parts/api-server.ts'
import {
  type Flag,
  fixedFlags,
  flagTexts,
  type MountedFiles,
  podFiles,
  secretFiles,
} from './apiserver-parts/pod-tables.ts'
import { sharedFiles, sharedFlags, sharedReferenceFaults } from './apiserver-parts/shared-tables.ts'
import { programLabels, programService } from './control-plane/control-plane.ts'
import { isHighlyAvailable } from './etcds.ts'
import {
  gardenerApiserverAddress,
  gardenerApiserverInVirtualGarden,
  gardenerApiserverService,
} from './gardener-registration.ts'
import { managedResource } from './parts/config-object.ts'
import { imageFields } from './parts/images.ts'
import { prefixes, virtualGarden } from './parts/names.ts'
import { openTo, toNetworks, toService, toVirtualGarden, trafficDistribution } from './parts/services.ts'
import { clientFiles, nonroot, requests, virtualGardenClient, workload } from './parts/workload.ts'

type Fields = NonNullable<GardenFields['spec']['virtualCluster']['gardener']['gardenerAPIServer']>
type GardenerApiServer = ApiServer & { readonly fields: Fields }

const name = 'gardener-apiserver'
const role = 'apiserver'
const port = 8443

/** Generated Secrets that gardener-apiserver mounts, and CAs that its clients need. */
export const gardenerApiserverSecrets: readonly SecretConfigName[] = [
  ...(['ca-etcd', 'etcd-client', 'ca-gardener', 'gardener-apiserver', 'generic-token-kubeconfig'] as const),
  ...(['gardener-apiserver-etcd-encryption-key', 'gardener-apiserver-workload-identity-signing-key'] as const),
]

export const gardenerApiserverFaults = (world: World): string[] => sharedReferenceFaults(gardenerApiServer(world))

const gardenerApiserverInRuntimeCluster = (world: World): KubeObject[] => {
  const server = gardenerApiServer(world)
  const { configObjects, ...files } = podFiles(mountedFiles, server)
  const access = virtualGardenClient(world, name)
  const objects = [
    ...workload({
      name,
      type: 'server',
      priority: 500,
      replicas: isHighlyAvailable(world) ? 3 : 2,
      labels: programLabels(role),
      podLabels: peers,
      mounted: configObjects,
      spec: apiServerRollout,
      minAllowed: { memory: '200M' },
      pod: {
        automountServiceAccountToken: false,
        securityContext: nonroot,
        containers: [container(server, [...files.volumeMounts, access.mount])],
        volumes: [...files.volumes, access.volume],
      },
    }),
    service(world),
  ]
  return [
    ...configObjects,
    access.secret,
    ...managedResource(`${name}-runtime`, {
      where: 'runtime',
      condition: 'VirtualComponentsHealthy',
      objects,
    }),
  ]
}

const gardenerApiServer = (world: World): GardenerApiServer => ({
  world,
  name,
  certificate: name,
  fields: world.garden.spec.virtualCluster.gardener.gardenerAPIServer ?? {},
})

const flags: readonly Flag<GardenerApiServer>[] = [
  ...fixedFlags({
    kubeconfig: clientFiles.kubeconfig,
    'authentication-kubeconfig': clientFiles.kubeconfig,
    'authorization-kubeconfig': clientFiles.kubeconfig,
    'authorization-always-allow-paths': '/healthz',
    'log-level': 'info',
    'log-format': 'json',
    'secure-port': port,
  }),
  { flag: 'cluster-identity', value: ({ world }) => world.garden.spec.virtualCluster.gardener.clusterIdentity },
  ...sharedFlags,
  { flag: 'goaway-chance', value: ({ fields }) => fields.goAwayChance },
  {
    flag: 'shoot-admin-kubeconfig-max-expiration',
    value: ({ fields }) => fields.shootAdminKubeconfigMaxExpiration,
  },
  { flag: 'workload-identity-token-issuer', value: ({ world }) => workloadIdentityIssuer(world.garden) },
  { flag: 'workload-identity-signing-key-file', value: () => `${signingFolder}/id_rsa` },
]

const signingFolder = '/etc/gardener-apiserver/workload-identity/signing'

const mountedFiles: readonly MountedFiles<GardenerApiServer>[] = [
  ...sharedFiles,
  {
    ...secretFiles('gardener-apiserver-workload-identity-signing-key', signingFolder),
    volume: 'gardener-apiserver-workload-identity',
  },
]

const peers = {
  ...toVirtualGarden,
  ...toNetworks('public-networks', 'private-networks'),
  [`${prefixes.networking}/to-all-webhook-targets`]: 'allowed',
  ...toService(virtualGarden('etcd-main-client'), 2379),
}

const container = (server: GardenerApiServer, volumeMounts: readonly object[]) => ({
  ...imageFields(server.world, name),
  args: flagTexts(flags, server),
  ports: [{ name: 'https', containerPort: port, protocol: 'TCP' }],
  resources: requests('600m', '512Mi'),
  livenessProbe: apiServerProbe({ path: '/livez', port }, 15),
  readinessProbe: apiServerProbe({ path: '/readyz', port }, 15),
  securityContext: { allowPrivilegeEscalation: false },
  volumeMounts,
})

const service = (world: World): KubeObject =>
  programService(
    { name, role },
    {
      ports: [{ name: 'https', port: 443, targetPort: port }],
      annotations: { ...openTo.webhookCallers([port]), ...openTo.scrapers([port]) },
      spec: trafficDistribution(world),
    },
  )

/**
 * ManagedResource gardener-apiserver-runtime, and gardener-apiserver-virtual once the server is ready and has an address. An APIService
 * without a running server blocks the deletion of every namespace, so the kinds are registered only after the server is up.
 */
export const gardenerApiserver = (world: World): KubeObject[] => {
  const runtime = gardenerApiserverInRuntimeCluster(world)
  const isUp = runtime.every(object => waitText(object, world.runtime) === undefined)
  return isUp ? [...runtime, ...gardenerApiserverInVirtualGarden(world)] : runtime
}

export const gardenerApiserverWaits = (world: World): string[] =>
  gardenerApiserverAddress(world) ? [] : [`${refText(gardenerApiserverService)}: has no address yet`]
