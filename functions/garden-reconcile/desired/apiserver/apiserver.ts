// The API server of the virtual garden: its Deployment, its autoscaler, and the config objects that it mounts.
import { isMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { findObject } from '../../rules/objects.ts'
import { secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { apiServerProbe, apiServerRollout, referenceFault } from '../apiserver-parts/api-server.ts'
import { bundleFiles, flagTexts, type MountedFiles, podFiles, secretFiles } from '../apiserver-parts/pod-tables.ts'
import { sharedFiles, sharedReferenceFaults } from '../apiserver-parts/shared-tables.ts'
import { isHighlyAvailable } from '../etcds.ts'
import { imageFields } from '../parts/images.ts'
import { namespace, ownershipLabel, replicaType, role, virtualGarden } from '../parts/names.ts'
import { toNetworks, toService } from '../parts/services.ts'
import { nonroot, requests, workload } from '../parts/workload.ts'
import { accessFiles, accessReferences } from './access-files.ts'
import { kubeApiServerFlags } from './flags.ts'
import {
  kubeApiServerFolders as folders,
  type KubeApiServer,
  kubeApiServer,
  sniFaults,
  sniSecretName,
} from './kube-apiserver.ts'

const name = virtualGarden('kube-apiserver')
const labels = { app: 'kubernetes', role: 'apiserver', ...role('controlplane') }

/** Config objects come first, then the Deployment that mounts them. */
export const apiserver = (world: World): KubeObject[] => {
  const server = kubeApiServer(world)
  const { volumes, volumeMounts, configObjects } = podFiles(kubeApiServerFiles, server)
  const container = {
    ...imageFields(world, 'kube-apiserver'),
    command: ['/usr/local/bin/kube-apiserver'],
    args: flagTexts(kubeApiServerFlags, server),
    ports: [{ name: 'https', containerPort: 443, protocol: 'TCP' }],
    livenessProbe: probe(world, '/livez', 15),
    readinessProbe: probe(world, '/readyz', 10),
    resources: requests('600m', '512Mi'),
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts,
  }
  const least = leastReplicas(world)
  const replicas = appliedReplicas(world, { name, least })
  return [
    ...configObjects,
    ...workload({
      name,
      type: 'server',
      priority: 500,
      labels,
      mounted: configObjects,
      // The replicas are not in the workload's field `replicas`, because an autoscaler changes them later.
      spec: { ...apiServerRollout, ...(replicas !== undefined && { replicas }) },
      podLabels: podAccess,
      autoscaling: 'Off',
      minAllowed: minAllowed(world),
      pod: { ...podSettings, containers: [container], volumes },
    }),
    autoscaler(least),
  ]
}

export const apiserverFaults = (world: World): string[] => {
  const server = kubeApiServer(world)
  return [
    ...sharedReferenceFaults(server),
    ...accessReferences(server).flatMap(reference => referenceFault(world, reference) ?? []),
    ...sniFaults(server),
  ]
}

const podSettings = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 30,
  securityContext: nonroot,
}

const podAccess = {
  ...toNetworks('dns', 'public-networks', 'private-networks'),
  ...toService(virtualGarden('etcd-main-client'), 2379),
  ...toService(virtualGarden('etcd-events-client'), 2379),
  ...toService('gardener-apiserver', 8443),
  ...toService('gardener-admission-controller', 2719),
}

/** The probes use the only user of the static tokens. This user has no other rights. */
const probe = (world: World, path: string, initialDelaySeconds: number) => {
  const [token = ''] = secretText(secretNow(world, 'kube-apiserver-static-token'), 'static_tokens.csv').split(',')
  const httpHeaders = [{ name: 'Authorization', value: `Bearer ${token}` }]
  return apiServerProbe({ path, port: 443, httpHeaders }, initialDelaySeconds)
}

const leastReplicas = (world: World): number => (isHighlyAvailable(world) ? 3 : 2)

const minAllowed = ({ garden }: World): Record<string, string> => {
  const { autoscaling } = garden.spec.virtualCluster.kubernetes.kubeAPIServer ?? {}
  const given = Object.entries(autoscaling?.minAllowed ?? {}).map(([resource, least]) => [resource, String(least)])
  return { cpu: '20m', memory: '200M', ...Object.fromEntries(given) }
}

const autoscaler = (minReplicas: number): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, namespace, labels: { ...labels, ...replicaType('server'), ...ownershipLabel } },
  spec: {
    minReplicas,
    maxReplicas: 6,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    metrics: ['cpu', 'memory'].map(resource => ({
      type: 'Resource',
      resource: { name: resource, target: { type: 'Utilization', averageUtilization: 80 } },
    })),
  },
})

/** The replicas to apply. undefined: another program sets the replicas. */
const appliedReplicas = (
  { runtime }: World,
  { name, least }: { readonly name: string; readonly least: number },
): number | undefined => {
  const live = findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
  if (live && isScaledByOthers(live)) return
  return Math.max(Number(mapOrEmpty(live?.spec).replicas ?? 0), least)
}

/** Whether another field manager owns the replicas. If no other manager owns them, an apply without replicas would reset them. */
const isScaledByOthers = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields
    .filter(isMap)
    .some(
      ({ manager, fieldsV1 }) =>
        manager !== 'garden-reconcile' && mapOrEmpty(mapOrEmpty(fieldsV1)['f:spec'])['f:replicas'] !== undefined,
    )

const kubeApiServerFiles: readonly MountedFiles<KubeApiServer>[] = [
  bundleFiles('ca', folders.ca),
  bundleFiles('ca-client', folders.caClient),
  bundleFiles('ca-front-proxy', folders.caFrontProxy),
  secretFiles('service-account-key', folders.serviceAccountKey),
  { ...bundleFiles('service-account-key', folders.serviceAccountKeyBundle), volume: 'service-account-key-bundle' },
  { ...secretFiles('kube-apiserver-static-token', folders.token), volume: 'static-token' },
  secretFiles('kube-aggregator', folders.aggregator),
  ...sharedFiles,
  ...accessFiles,
  { volume: 'tls-sni-0', folder: folders.sni, from: server => secretOf(sniSecretName(server)) },
]

const secretOf = (name: string | undefined): KubeObject | undefined =>
  name === undefined ? undefined : { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
