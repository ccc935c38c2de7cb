// The two etcds of the virtual garden, as objects for etcd-druid: `events` holds Events, `main` holds everything else.
import { etcdKind } from '../../../shared/api/garden/kinds.ts'
import { operationAnnotation } from '../../../shared/api/garden/operations.ts'
import type { GardenFields } from '../../../shared/api/garden.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import { isApplied } from '../../../shared/core/objects/applied.ts'
import { phaseOf } from '../../../shared/core/objects/garden-rotation.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { findObject } from '../rules/objects.ts'
import { unreadyText } from '../rules/readiness.ts'
import { bundleNow, secretNow } from '../rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../rules/secrets/secret-configs.ts'
import type { World } from '../world.ts'
import { maintenanceSchedules } from './etcd-schedules.ts'
import { gardenPriority, role as gardenRole, namespace, ownershipLabel, virtualGarden } from './parts/names.ts'
import { toNetworks, toService, trafficDistribution } from './parts/services.ts'
import { autoscalerOf, requests } from './parts/workload.ts'

const roles = ['main', 'events'] as const

type EtcdRole = (typeof roles)[number]

export const etcdObjects = (world: World): readonly KubeObject[] =>
  roles.flatMap(role => [requested(world, etcd(world, role)), etcdAutoscaler(role, settingsOf(world, role))])

export const etcdSecrets = (world: World): SecretConfigName[] => [
  ...(['ca-etcd', 'etcd-server-main', 'etcd-server-events', 'etcd-client'] as const),
  ...(isHighlyAvailable(world) ? (['ca-etcd-peer', 'etcd-peer-server-main', 'etcd-peer-server-events'] as const) : []),
]

/** Where snapshots are stored. undefined: no snapshots are made. Without a bucket name, the etcd keeps its present store. */
export const backupStore = (world: World): JsonMap | undefined => {
  const { backup } = settingsOf(world, 'main')
  if (backup === undefined) return undefined
  const [container, ...path] = (backup.bucketName ?? '').split('/').filter(part => part !== '')
  if (container === undefined) return heldStore(world)
  return {
    provider: backup.provider,
    container,
    secretRef: { name: backup.secretRef.name, namespace },
    prefix: [...path, virtualGarden('etcd-main'), 'etcd-main'].join('/'),
  }
}

const heldStore = (world: World): JsonMap | undefined => {
  const store = valueAt(liveEtcd(world, virtualGarden('etcd-main'))?.spec, 'backup', 'store')
  return isMap(store) ? store : undefined
}

/** The Garden requests backups, but names no bucket, so no backups are made. */
export const lacksBucket = (world: World): boolean =>
  settingsOf(world, 'main').backup !== undefined && backupStore(world) === undefined

export const isHighlyAvailable = ({ garden }: World): boolean =>
  garden.spec.virtualCluster.controlPlane?.highAvailability !== undefined

type Settings = NonNullable<GardenFields['spec']['virtualCluster']['etcd']>
type MainSettings = NonNullable<Settings['main']>

const settingsOf = ({ garden }: World, role: EtcdRole): MainSettings => garden.spec.virtualCluster.etcd?.[role] ?? {}

const facts = {
  main: { metrics: 'extensive', claim: 'main-virtual-garden-etcd', capacity: '25Gi', leastMemory: '300M' },
  events: { metrics: 'basic', claim: 'virtual-garden-etcd-events', capacity: '10Gi', leastMemory: '60M' },
} as const

const etcd = (world: World, role: EtcdRole): KubeObject => {
  const isMain = role === 'main'
  const { storage } = settingsOf(world, role)
  const labels = { app: 'etcd-statefulset', role, ...gardenRole('controlplane') }
  return {
    ...etcdKind,
    metadata: {
      name: virtualGarden(`etcd-${role}`),
      namespace,
      labels: { role, ...gardenRole('controlplane'), ...ownershipLabel },
    },
    spec: {
      replicas: isHighlyAvailable(world) ? 3 : 1,
      priorityClassName: gardenPriority(500),
      ...(isMain && !isHighlyAvailable(world) && { annotations: notEvicted }),
      labels: { ...labels, ...podAccess(world, role), ...ownershipLabel },
      selector: { matchLabels: labels },
      etcd: etcdSection(world, role),
      backup: backupSection(world, role),
      storageCapacity: storage?.capacity ?? facts[role].capacity,
      ...(storage?.className !== undefined && { storageClass: storage.className }),
      volumeClaimTemplate: facts[role].claim,
    },
  }
}

const notEvicted = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }

/** Network access of the Pods: to object stores, and to each other. */
const podAccess = (world: World, role: EtcdRole): Readonly<Record<string, string>> => ({
  ...toNetworks('dns', 'public-networks', 'private-networks', 'runtime-apiserver'),
  ...(isHighlyAvailable(world) && toService(virtualGarden(`etcd-${role}-client`), 2379, 2380, 8080)),
})

const etcdSection = (world: World, role: EtcdRole): JsonMap => ({
  resources: requests('300m', '1G'),
  clientUrlTls: clientTls(world, role),
  ...(isHighlyAvailable(world) && { peerUrlTls: peerTls(world, role) }),
  clientPort: 2379,
  serverPort: 2380,
  metrics: facts[role].metrics,
  quota: '8Gi',
  defragmentationSchedule: scheduleOf(world, role, ['etcd', 'defragmentationSchedule']),
  clientService: { labels: ownershipLabel, ...trafficDistribution(world) },
})

const backupSection = (world: World, role: EtcdRole): JsonMap => ({
  port: 8080,
  tls: clientTls(world, role),
  resources: requests('23m', '128Mi'),
  garbageCollectionPolicy: 'Exponential',
  garbageCollectionPeriod: '12h',
  compression: { enabled: true, policy: 'gzip' },
  ...storeSection(world, role),
})

const storeSection = (world: World, role: EtcdRole): JsonMap => {
  const store = role === 'main' && backupStore(world)
  if (!store) return {}
  return {
    store,
    fullSnapshotSchedule: scheduleOf(world, role, ['backup', 'fullSnapshotSchedule']),
    deltaSnapshotPeriod: '5m',
    deltaSnapshotMemoryLimit: '100Mi',
  }
}

const secretRef = (secret: KubeObject) => ({ name: secret.metadata.name, namespace })

const clientTls = (world: World, role: EtcdRole): JsonMap => ({
  tlsCASecretRef: { ...secretRef(bundleNow(world, 'ca-etcd')), dataKey: 'bundle.crt' },
  serverTLSSecretRef: secretRef(secretNow(world, `etcd-server-${role}`)),
  clientTLSSecretRef: secretRef(secretNow(world, 'etcd-client')),
})

const peerTls = (world: World, role: EtcdRole): JsonMap => ({
  tlsCASecretRef: { ...secretRef(bundleNow(world, 'ca-etcd-peer')), dataKey: 'bundle.crt' },
  serverTLSSecretRef: { name: peerCertificate(world, role), namespace },
})

/** The former certificate stays until all members trust the new CA. A member trusts the new CA once it runs with the CA bundle. */
const peerCertificate = (world: World, role: EtcdRole): string => {
  const wanted = secretNow(world, `etcd-peer-server-${role}`).metadata.name
  const live = liveEtcd(world, virtualGarden(`etcd-${role}`))
  const named = (field: string) => valueAt(live?.spec, 'etcd', 'peerUrlTls', field, 'name')
  const [bundle, held] = [named('tlsCASecretRef'), named('serverTLSSecretRef')]
  if (!live || !isText(held) || phaseOf(world.garden, 'certificateAuthorities') !== 'Preparing') return wanted
  const isTrusted =
    bundle === bundleNow(world, 'ca-etcd-peer').metadata.name && unreadyText(live, world.runtime) === undefined
  return isTrusted ? wanted : held
}

/** A schedule that is already set stays, so that a changed maintenance window does not change the schedule of a running etcd. */
const scheduleOf = (world: World, role: EtcdRole, path: readonly string[]): string => {
  const set = valueAt(liveEtcd(world, virtualGarden(`etcd-${role}`))?.spec, ...path)
  if (isText(set)) return set
  const { uid = '' } = world.garden.metadata
  const drawn = maintenanceSchedules(uid, world.garden.spec.virtualCluster.maintenance.timeWindow)
  if (path.includes('fullSnapshotSchedule')) return drawn.fullSnapshot
  return role === 'main' ? drawn.defragmentation : drawn.everyThirdDay
}

/** The autoscaler does not change the resources of the sidecar. */
const etcdAutoscaler = (role: EtcdRole, { autoscaling }: MainSettings): KubeObject => {
  const minAllowed = { memory: facts[role].leastMemory, ...autoscaling?.minAllowed }
  return autoscalerOf({ kind: 'StatefulSet', name: virtualGarden(`etcd-${role}`) }, [
    { containerName: 'etcd', controlledValues: 'RequestsOnly', minAllowed },
    { containerName: 'backup-restore', mode: 'Off' },
  ])
}

const timestamp = 'gardener.cloud/timestamp'

/**
 * The Etcd with the annotation that makes etcd-druid reconcile it. etcd-druid removes the annotation when the reconciliation starts. The
 * annotation is therefore set only for a spec that differs from the spec in the cluster. A present annotation stays.
 */
const requested = (world: World, wanted: KubeObject): KubeObject => {
  const live = liveEtcd(world, wanted.metadata.name)
  const annotations = live && holdsSpec(live, wanted) ? keptRequest(live) : request(world)
  return { ...wanted, metadata: { ...wanted.metadata, annotations } }
}

export const liveEtcd = (world: World, name: string): KubeObject | undefined =>
  findObject(world.runtime, { ...etcdKind, namespace, name })

/** The time of the Garden's operation, so that all calls use the same value. */
const request = ({ garden }: World): Record<string, string> => ({
  [operationAnnotation]: 'reconcile',
  [timestamp]: garden.status?.lastOperation?.lastUpdateTime ?? garden.metadata.creationTimestamp ?? '',
})

const keptRequest = ({ metadata: { annotations = {} } }: KubeObject): Record<string, string> =>
  Object.fromEntries(
    [operationAnnotation, timestamp].flatMap(key => (annotations[key] ? [[key, annotations[key]]] : [])),
  )

/** Whether applying the spec alone would change nothing. */
const holdsSpec = (live: KubeObject, { apiVersion, kind, metadata: { name }, spec }: KubeObject): boolean => {
  const managedFields = (live.metadata.managedFields ?? []).filter(isMap).map(entry => {
    const { 'f:spec': owned } = mapOrEmpty(entry.fieldsV1)
    return { ...entry, fieldsV1: owned === undefined ? {} : { 'f:spec': owned } }
  })
  const seen = { ...live, metadata: { ...live.metadata, managedFields } }
  return isApplied({ apiVersion, kind, metadata: { name }, spec }, seen, 'garden-reconcile')
}
