// How fluent-bit sends records to vali: the settings of its plugin for vali, one per line.
import { namespace } from '../parts/names.ts'
import { valiService } from './logging-names.ts'

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
