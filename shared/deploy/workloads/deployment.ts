// Makes the objects of a program: its Deployment, a PodDisruptionBudget for evictions one by one, and Services.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'
import { volume } from './mounts.ts'
import { container, containerPorts, type PodParts, probes, startupProbe } from './pod.ts'

/** Two replicas, replaced one by one. Both replicas work: functions have no state, and relays share the work by Leases. */
export const deployment = (name: string, namespace: string, pod: PodParts): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels: { ...partLabels, ...pod.selector } },
  spec: {
    replicas: 2,
    revisionHistoryLimit: 3,
    selector: { matchLabels: pod.selector },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { metadata: { labels: { ...partLabels, ...pod.selector } }, spec: podSpec(pod) },
  },
})

const podSpec = (pod: PodParts) => ({
  serviceAccountName: pod.serviceAccountName,
  terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
  topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(spreadOver(pod.selector)),
  containers: [{ ...container(pod), ports: containerPorts(pod), startupProbe, ...probes }],
  volumes: pod.mounts.map(volume),
})

/** The rule is preferred and not required, so that all Pods can also run on one node. */
const spreadOver = (matchLabels: Labels) => (topologyKey: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels },
})

/** With one replica, `minAvailable` would block each drain. */
export const podDisruptionBudget = (name: string, namespace: string, matchLabels: Labels): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace, labels: partLabels },
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels } },
})

type ServiceParts = {
  name: string
  namespace: string
  selector: Labels
  port: { name: string; port: number; targetPort: number }
  /** A second name and number for the port. */
  alias?: { name: string; port: number }
  /** The name resolves to the addresses of all ready Pods, and the caller chooses one. */
  isHeadless?: boolean
}

export const internalService = ({ name, namespace, selector, port, alias, isHeadless }: ServiceParts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels: partLabels },
  spec: {
    ...(isHeadless && { clusterIP: 'None' }),
    selector,
    ports: [port, ...(alias ? [{ ...port, ...alias }] : [])].map(one => ({ ...one, protocol: 'TCP' })),
  },
})
