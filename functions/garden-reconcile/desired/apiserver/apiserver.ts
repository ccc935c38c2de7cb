// The API server of the virtual garden: its Deployment, its autoscaler, and the config objects that it mounts.
import { isMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { findObject } from '../../rules/objects.ts'
import { bundleNow, secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { type MountedFiles, podFiles } from '../apiserver-parts/file-table.ts'
import { flagTexts } from '../apiserver-parts/flag-table.ts'
import { referenceFault } from '../apiserver-parts/referenced.ts'
import { sharedFiles, sharedReferenceFaults } from '../apiserver-parts/shared-tables.ts'
import { isHighlyAvailable } from '../etcds/etcds.ts'
import { namespace, ownershipLabel, prefixes, replicaType, role, virtualGarden } from '../parts/names.ts'
import { imageFields, nonroot, requests, workload } from '../parts/workload.ts'
import { authenticationFiles, authenticationReferences } from './authentication-files.ts'
import { authorizationFiles, authorizationReferences } from './authorization-files.ts'
import { kubeApiServerFlags } from './flags.ts'
import { kubeApiServerFolders as folders, type KubeApiServer, kubeApiServer } from './kube-apiserver.ts'
import { sniFaults, sniSecretName } from './sni-secret.ts'

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
    livenessProbe: probe(world, { path: '/livez', initialDelaySeconds: 15 }),
    readinessProbe: probe(world, { path: '/readyz', initialDelaySeconds: 10 }),
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
      // Not in the field `replicas` of the workload, because an autoscaler changes them later.
      spec: { ...rollout, ...(replicas !== undefined && { replicas }) },
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
  const own = [...authenticationReferences(server), ...authorizationReferences(server)]
  return [
    ...sharedReferenceFaults(server),
    ...own.flatMap(reference => referenceFault(world, reference) ?? []),
    ...sniFaults(server),
  ]
}

const rollout = {
  minReadySeconds: 30,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
}

const podSettings = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 30,
  securityContext: nonroot,
}

const toService = (service: string, port: number): string => `${prefixes.networking}/to-${service}-tcp-${port}`

const podAccess = Object.fromEntries(
  [
    ...['dns', 'public-networks', 'private-networks'].map(target => `networking.gardener.cloud/to-${target}`),
    toService(virtualGarden('etcd-main-client'), 2379),
    toService(virtualGarden('etcd-events-client'), 2379),
    toService('gardener-apiserver', 8443),
    toService('gardener-admission-controller', 2719),
  ].map(label => [label, 'allowed']),
)

/** The probes use the only user of the static tokens, which may do nothing else. */
const probe = (
  world: World,
  { path, initialDelaySeconds }: { readonly path: string; readonly initialDelaySeconds: number },
) => {
  const [token = ''] = secretText(secretNow(world, 'kube-apiserver-static-token'), 'static_tokens.csv').split(',')
  const httpHeaders = [{ name: 'Authorization', value: `Bearer ${token}` }]
  return {
    httpGet: { path, scheme: 'HTTPS', port: 443, httpHeaders },
    initialDelaySeconds,
    periodSeconds: 10,
    timeoutSeconds: 15,
    successThreshold: 1,
    failureThreshold: 3,
  }
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

/** The replicas to apply; undefined: somebody else sets them. */
const appliedReplicas = (
  { runtime }: World,
  { name, least }: { readonly name: string; readonly least: number },
): number | undefined => {
  const live = findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
  if (live && isScaledByOthers(live)) return
  return Math.max(Number(mapOrEmpty(live?.spec).replicas ?? 0), least)
}

/** Whether another field manager owns the replicas. If nobody did, an apply without replicas would reset them. */
const isScaledByOthers = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields
    .filter(isMap)
    .some(
      ({ manager, fieldsV1 }) =>
        manager !== 'garden-reconcile' && mapOrEmpty(mapOrEmpty(fieldsV1)['f:spec'])['f:replicas'] !== undefined,
    )

// The files of kube-apiserver: one row per volume. The rows that it shares with gardener-apiserver are in apiserver-parts.

const kubeApiServerFiles: readonly MountedFiles<KubeApiServer>[] = [
  { volume: 'ca', folder: folders.ca, from: ({ world }) => bundleNow(world, 'ca') },
  { volume: 'ca-client', folder: folders.caClient, from: ({ world }) => bundleNow(world, 'ca-client') },
  { volume: 'ca-front-proxy', folder: folders.caFrontProxy, from: ({ world }) => bundleNow(world, 'ca-front-proxy') },
  {
    volume: 'service-account-key',
    folder: folders.serviceAccountKey,
    from: ({ world }) => secretNow(world, 'service-account-key'),
  },
  {
    volume: 'service-account-key-bundle',
    folder: folders.serviceAccountKeyBundle,
    from: ({ world }) => bundleNow(world, 'service-account-key'),
  },
  {
    volume: 'static-token',
    folder: folders.token,
    from: ({ world }) => secretNow(world, 'kube-apiserver-static-token'),
  },
  {
    volume: 'kube-aggregator',
    folder: folders.aggregator,
    from: ({ world }) => secretNow(world, 'kube-aggregator'),
  },
  ...sharedFiles,
  ...authenticationFiles,
  ...authorizationFiles,
  { volume: 'tls-sni-0', folder: folders.sni, from: server => secretOf(sniSecretName(server)) },
]

const secretOf = (name: string | undefined): KubeObject | undefined =>
  name === undefined ? undefined : { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
