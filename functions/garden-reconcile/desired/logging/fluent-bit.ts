// fluent-bit reads the logs of containers on each node and sends them to vali. Its configuration consists of all objects with the labels of
// logging, including objects of other components. Filters run in the order of their names.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource } from '../parts/config-object.ts'
import { image } from '../parts/images.ts'
import { gardenPriority, namespace, ownershipLabel } from '../parts/names.ts'
import { toRuntimeApiserver, toService } from '../parts/services.ts'
import { requests } from '../parts/workload.ts'
import { loggingLabels, sendsToVali, valiService } from './vali.ts'

const name = 'fluent-bit'
const configName = 'fluent-bit-config'

const podLabels = {
  ...loggingLabels(name),
  ...toRuntimeApiserver,
  ...toService(valiService.name, valiService.port),
  ...ownershipLabel,
}

export const fluentBit = (world: World): KubeObject[] => {
  const scripts = configMap('fluent-bit-lua-config', recordScripts)
  const objects = [scripts, agent(world), configuration, ...pipeline(scripts.metadata.name)]
  return managedResource(name, { where: 'runtime', condition: 'ObservabilityComponentsHealthy', objects })
}

const get = (path: string, port: number) => ({ httpGet: { path, port } })

const mounts = [
  { name: 'runlogjournal', mountPath: '/run/log/journal', source: { hostPath: { path: '/run/log/journal' } } },
  { name: 'varfluent', mountPath: '/var/fluentbit', source: { hostPath: { path: '/var/fluentbit' } } },
  { name: 'plugins', mountPath: '/fluent-bit/plugins', source: { emptyDir: {} } },
]

const agent = (world: World): KubeObject => ({
  ...fluentKind('FluentBit'),
  metadata: { name, namespace, labels: podLabels },
  spec: {
    fluentBitConfigName: configName,
    image: image(world, name),
    priorityClassName: gardenPriority(100),
    command: [
      ...['/fluent-bit/bin/fluent-bit-watcher', '-e', '/fluent-bit/plugins/out_vali.so'],
      ...['-c', '/fluent-bit/config/fluent-bit.conf'],
    ],
    containerSecurityContext: { allowPrivilegeEscalation: false },
    ports: [{ name: 'metrics-plugin', containerPort: 2021, protocol: 'TCP' }],
    resources: { ...requests('150m', '200Mi'), limits: { memory: '650Mi' } },
    readinessProbe: { ...get('/api/v1/metrics/prometheus', 2020), periodSeconds: 10 },
    livenessProbe: { ...get('/healthz', 2021), periodSeconds: 300, initialDelaySeconds: 90 },
    tolerations: ['master', 'control-plane'].map(role => ({
      key: `node-role.kubernetes.io/${role}`,
      effect: 'NoSchedule',
    })),
    volumes: mounts.map(({ name, source }) => ({ name, ...source })),
    volumesMounts: mounts.map(({ name, mountPath }) => ({ name, mountPath })),
    initContainers: [
      {
        name: 'install-plugin',
        image: image(world, 'fluent-bit-plugin-installer'),
        command: ['cp', '/source/plugins/.', '/plugins'],
        securityContext: { allowPrivilegeEscalation: false },
        volumeMounts: [{ name: 'plugins', mountPath: '/plugins' }],
      },
    ],
    service: { name, labels: podLabels },
  },
})

/** fluent-operator finds the configuration of fluent-bit by these labels. */
const fluentLabels = { 'fluentbit.gardener/type': 'seed' } as const

const fluentKind = (kind: string) => ({ apiVersion: 'fluentbit.fluent.io/v1alpha2', kind })

export const fluentPart = (kind: string, name: string, spec: JsonMap): KubeObject => ({
  ...fluentKind(kind),
  metadata: { name, labels: fluentLabels },
  spec,
})

const selected = { matchLabels: fluentLabels }

const configuration: KubeObject = {
  ...fluentKind('ClusterFluentBitConfig'),
  metadata: { name: configName, labels: { 'app.kubernetes.io/name': name } },
  spec: {
    service: {
      flushSeconds: 30,
      daemon: false,
      logLevel: 'error',
      parsersFile: 'parsers.conf',
      httpServer: true,
      httpListen: '::',
      httpPort: 2020,
    },
    inputSelector: selected,
    filterSelector: selected,
    parserSelector: selected,
    outputSelector: selected,
  },
}

const pipeline = (scripts: string): KubeObject[] => {
  const lua = (key: string, call: string) => ({ lua: { script: { key, name: scripts }, call } })
  const filter = (name: string, item: JsonMap) =>
    fluentPart('ClusterFilter', name, { match: 'kubernetes.*', filters: [item] })
  return [
    fluentPart('ClusterInput', 'tail-kubernetes', { tail }),
    filter('02-containerd', { parser: { keyName: 'log', parser: 'containerd-parser', reserveData: true } }),
    filter('03-add-tag-to-record', lua('add_tag_to_record.lua', 'add_tag_to_record')),
    filter('zz-modify-severity', lua('modify_severity.lua', 'modify_severity')),
    fluentPart('ClusterParser', 'containerd-parser', containerdParser),
    fluentPart('ClusterOutput', 'journald', { customPlugin: { config: sendsToVali.ofNodes } }),
  ]
}

/** Skips the logs of fluent-bit and vali, because each of their lines would cause another line. */
const tail = {
  tag: 'kubernetes.*',
  path: '/var/log/containers/*.log',
  excludePath: '*_garden_fluent-bit-*.log,*_garden_vali-*.log',
  refreshIntervalSeconds: 10,
  memBufLimit: '30MB',
  skipLongLines: true,
  ignoreOlder: '30m',
  db: '/var/fluentbit/flb_kube.db',
}

const containerdParser = {
  regex: {
    regex: '^(?<time>[^ ]+) (stdout|stderr) ([^ ]*) (?<log>.*)$',
    timeKey: 'time',
    timeFormat: '%Y-%m-%dT%H:%M:%S.%L%z',
    timeKeep: true,
  },
  decoders: [{ decodeFieldAs: 'json log' }],
}

/** A Lua function of fluent-bit gives each severity one spelling: `{"severity":"warning"}` becomes `{"severity":"WARN"}`. */
const spellings = {
  INFO: ['I', 'INF', 'INFO'],
  WARN: ['W', 'WRN', 'WARN', 'WARNING'],
  ERR: ['E', 'ERR', 'ERROR', 'EROR'],
  DBG: ['D', 'DBG', 'DEBUG'],
  NOTICE: ['N', 'NOTICE'],
  FATAL: ['F', 'FATAL'],
} as const

const rows = Object.entries(spellings).flatMap(([severity, given]) =>
  given.map(spelling => `  ["${spelling}"] = "${severity}",`),
)

const modifySeverity = `local severities = {
${rows.join('\n')}
}

function modify_severity(tag, timestamp, record)
  local given = record["severity"]
  if type(given) ~= "string" then return 0, 0, 0 end
  local severity = severities[given:match("^%s*(.-)%s*$"):upper()]
  if severity == nil then return 0, 0, 0 end
  record["severity"] = severity
  return 1, timestamp, record
end
`

const addTagToRecord = `function add_tag_to_record(tag, timestamp, record)
  record["tag"] = tag
  return 1, timestamp, record
end
`

const recordScripts = { 'add_tag_to_record.lua': addTagToRecord, 'modify_severity.lua': modifySeverity } as const
