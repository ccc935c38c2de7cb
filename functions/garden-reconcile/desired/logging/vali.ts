// vali keeps the logs of 15 days. The curator in the same Pod frees disk space before the disk is full. Also how fluent-bit sends records to
// vali.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource, referencesTo } from '../parts/config-object.ts'
import { image } from '../parts/images.ts'
import { gardenPriority, namespace, ownershipLabel, role } from '../parts/names.ts'
import { clusterIpService } from '../parts/services.ts'
import { autoscalerOf, requests } from '../parts/workload.ts'

export const valiService = { name: 'logging', port: 3100 } as const

export const loggingLabels = (app: string) => ({ app, role: 'logging', ...role('logging') })

const name = 'vali'
const labels = loggingLabels(name)
const folders = { config: '/etc/vali', data: '/data' } as const
const claim = 'vali'
const user = 10_001
const metadata = { name, namespace, labels: { ...labels, ...ownershipLabel } }

export const vali = (world: World): KubeObject[] => {
  const config = configMap('vali-config', { 'vali.yaml': yamlOf(settings), 'curator.yaml': yamlOf(room) })
  const objects = [config, service, statefulSet(world, config), autoscaler]
  return managedResource(name, {
    where: 'runtime',
    condition: 'ObservabilityComponentsHealthy',
    objects,
  })
}

const retention = '360h'

const settings = {
  auth_enabled: false,
  server: { http_listen_port: valiService.port },
  ingester: {
    chunk_target_size: 1_536_000,
    chunk_block_size: 262_144,
    chunk_idle_period: '3m',
    chunk_retain_period: '3m',
    max_transfer_retries: 3,
    lifecycler: {
      ring: { kvstore: { store: 'inmemory' }, replication_factor: 1 },
      final_sleep: '0s',
      min_ready_duration: '1s',
    },
  },
  limits_config: {
    enforce_metric_name: false,
    reject_old_samples: true,
    reject_old_samples_max_age: '168h',
    ingestion_rate_mb: 8,
    ingestion_burst_size_mb: 12,
  },
  schema_config: {
    configs: [
      {
        from: '2018-04-15',
        store: 'boltdb',
        object_store: 'filesystem',
        schema: 'v11',
        index: { prefix: 'index_', period: '24h' },
      },
    ],
  },
  storage_config: {
    boltdb: { directory: `${folders.data}/vali/index` },
    filesystem: { directory: `${folders.data}/vali/chunks` },
  },
  chunk_store_config: { max_look_back_period: retention },
  table_manager: { retention_deletes_enabled: true, retention_period: retention },
}

const percentages = { MinFreePercentages: 10, TargetFreePercentages: 15, PageSizeForDeletionPercentages: 1 }

const room = {
  LogLevel: 'info',
  DiskPath: `${folders.data}/vali/chunks`,
  TriggerInterval: '1h',
  InodeConfig: percentages,
  StorageConfig: percentages,
}

const service = clusterIpService({
  ...metadata,
  name: valiService.name,
  selector: labels,
  ports: [{ name: 'metrics', port: valiService.port, protocol: 'TCP', targetPort: valiService.port }],
})

const container = (name: string, image: string, file: string) => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
  },
  volumeMounts: [
    { name: 'config', mountPath: `${folders.config}/${file}`, subPath: file },
    { name: claim, mountPath: folders.data },
  ],
})

const ready = { httpGet: { path: '/ready', port: 'metrics' } }

const statefulSet = (world: World, config: KubeObject): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { ...metadata, annotations: referencesTo([config]) },
  spec: {
    replicas: 1,
    serviceName: valiService.name,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels: { ...labels, ...ownershipLabel }, annotations: referencesTo([config]) },
      spec: {
        automountServiceAccountToken: false,
        priorityClassName: gardenPriority(100),
        securityContext: { fsGroup: user, fsGroupChangePolicy: 'OnRootMismatch' },
        containers: [
          {
            ...container(name, image(world, name), 'vali.yaml'),
            args: [`-config.file=${folders.config}/vali.yaml`],
            ports: [{ name: 'metrics', containerPort: valiService.port, protocol: 'TCP' }],
            livenessProbe: { ...ready, initialDelaySeconds: 120, failureThreshold: 5 },
            readinessProbe: { ...ready, failureThreshold: 7 },
            resources: requests('10m', '100M'),
          },
          {
            ...container('curator', image(world, 'vali-curator'), 'curator.yaml'),
            args: [`-config=${folders.config}/curator.yaml`],
            ports: [{ name: 'curatormetrics', containerPort: 2718, protocol: 'TCP' }],
            resources: requests('5m', '15Mi'),
          },
        ],
        volumes: [{ name: 'config', configMap: { name: config.metadata.name } }],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: claim },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '30Gi' } } },
      },
    ],
  },
})

const podAutoscaler = autoscalerOf({ kind: 'StatefulSet', name }, [
  { containerName: name, controlledValues: 'RequestsOnly', minAllowed: { memory: '100M' } },
  { containerName: 'curator', mode: 'Off', controlledValues: 'RequestsOnly' },
])

const autoscaler: KubeObject = { ...podAutoscaler, metadata: { ...metadata, name: `${name}-vpa` } }

/** The settings of fluent-bit's plugin for vali. */
type Settings = Readonly<Record<string, string | number | boolean>>

const common: Settings = {
  Name: 'gardenervali',
  Url: `http://${valiService.name}.${namespace}.svc:${valiService.port}/vali/api/v1/push`,
  LogLevel: 'info',
  LineFormat: 'json',
  SortByTimestamp: true,
  DropSingleKey: false,
  BatchWait: '5s',
  BatchSize: 1_048_576,
  NumberOfBatchIDs: 5,
  Timeout: '10s',
  MaxRetries: 5,
  MinBackoff: '10s',
  MaxBackoff: '300s',
  AutoKubernetesLabels: false,
  // fluent-bit replaces NODE_NAME on each node.
  HostnameKeyValue: `nodename $\{NODE_NAME}`,
  Buffer: true,
  BufferType: 'dque',
  QueueSegmentSize: 300,
  QueueSync: 'normal',
}

const containerLabels = {
  kubernetes: Object.fromEntries(
    ['container_name', 'container_id', 'namespace_name', 'pod_name'].map(key => [key, key]),
  ),
  severity: 'severity',
  job: 'job',
}

const lines = (settings: Settings): string =>
  Object.entries({ ...common, ...settings })
    .map(([key, value]) => `${key} ${value}\n`)
    .join('')

/** How fluent-bit sends records to vali: one setting per line. */
export const sendsToVali = {
  /** Records of programs of the node, from the node's journal. */
  ofNodes: lines({
    Match: 'journald.*',
    Labels: '{origin="seed-journald"}',
    RemoveKeys: 'kubernetes,stream,hostname,unit',
    LabelMapPath: JSON.stringify({ hostname: 'host_name', unit: 'systemd_component' }),
    QueueDir: '/fluent-bit/buffers',
    QueueName: 'seed-journald',
  }),
  ofContainers: lines({
    Match: 'kubernetes.*',
    Labels: '{origin="garden"}',
    RemoveKeys: 'kubernetes,stream,time,tag,gardenuser,job',
    LabelMapPath: JSON.stringify(containerLabels),
    FallbackToTagWhenMetadataIsMissing: true,
    TagKey: 'tag',
    DropLogEntryWithoutK8sMetadata: true,
    QueueDir: '/fluent-bit/buffers/garden',
    QueueName: 'gardener-operator-static',
  }),
} as const
