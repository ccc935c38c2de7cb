// How the logs of a Garden's components are read and where they go: one row per component whose lines have a form of their own.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { managedResource } from '../parts/config-object.ts'
import { fluentPart } from './logging-names.ts'
import { sendsToVali } from './vali-output.ts'

/** ManagedResource fluent-operator-custom-resources-garden. */
export const gardenLogs = (): KubeObject[] =>
  managedResource('fluent-operator-custom-resources-garden', {
    where: 'runtime',
    condition: 'ObservabilityComponentsHealthy',
    objects: [...units.flatMap(ofUnit), ...programs.flatMap(ofProgram), toVali],
  })

const toVali = fluentPart('ClusterOutput', 'static-vali', { customPlugin: { config: sendsToVali.ofContainers } })

/** Of the node, read from its journal. */
const units = ['kubelet', 'containerd']

const ofUnit = (unit: string): KubeObject[] => {
  const tag = `journald.${unit}`
  const systemd = { tag, readFromTail: 'on', systemdFilter: [`_SYSTEMD_UNIT=${unit}.service`] }
  const recordModifier = { records: [`hostname $\{NODE_NAME}`, `unit ${unit}`] }
  return [
    fluentPart('ClusterInput', `journald-${unit}`, { systemd }),
    fluentPart('ClusterFilter', `journald-${unit}`, { match: tag, filters: [{ recordModifier }] }),
  ]
}

/** Lines of klog: `I0302 10:00:00.000000       1 server.go:12] Starting`. */
const klog = {
  regex: {
    regex: '^(?<severity>\\w)(?<time>\\d{4} [^\\s]*)\\s+(?<pid>\\d+)\\s+(?<source>[^ \\]]+)\\] (?<log>.*)$',
    timeKey: 'time',
    timeFormat: '%m%d %H:%M:%S.%L',
  },
}

const json = { json: { timeKey: 'ts', timeFormat: '%Y-%m-%dT%H:%M:%S.%L' } }

const programs = [
  { name: 'gardener-resource-manager', parser: json },
  { name: 'kube-apiserver', parser: klog },
  { name: 'kube-controller-manager', parser: klog },
  { name: 'vpa-admission-controller', parser: klog },
  { name: 'vpa-recommender', parser: klog },
  { name: 'vpa-updater', parser: klog },
]

const renamed = { modify: { rules: [{ rename: { level: 'severity', msg: 'log', logger: 'source' } }] } }

const ofProgram = ({ name, parser }: (typeof programs)[number]): KubeObject[] => {
  const parsed = { parser: { keyName: 'log', parser: `${name}-parser`, reserveData: true } }
  return [
    fluentPart('ClusterFilter', name, {
      match: `kubernetes.*${name}*`,
      filters: [parsed, ...(parser === json ? [renamed] : [])],
    }),
    fluentPart('ClusterParser', `${name}-parser`, parser),
  ]
}
