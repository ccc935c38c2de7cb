// Workloads of a Garden: Deployments with a disruption budget and a VerticalPodAutoscaler, with images, Services and network access.
//
//   workload({
//     name: 'etcd-druid',
//     replicas: 1,
//     type: 'controller',
//     priority: 300,
//     pod: { serviceAccountName: 'etcd-druid', containers: [{ name: 'etcd-druid', image, resources: requests('50m', '128Mi') }] },
//   })

import { coerce, satisfies } from 'semver'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { ContainerImage } from '../../settings.ts'
import type { World } from '../../world.ts'
import { referencesTo } from './config-object.ts'
import { namespace as garden, gardenPriority, ownershipLabel, replicaCount, replicaType } from './names.ts'

type Texts = Readonly<Record<string, string>>

export type Workload = {
  readonly name: string
  readonly namespace?: string
  /** Absent: an autoscaler sets the replicas. */
  readonly replicas?: number
  readonly type?: 'server' | 'controller'
  readonly priority: Parameters<typeof gardenPriority>[0]
  /** Labels of the Deployment, which are also its selector for Pods. */
  readonly labels?: Texts
  /** Labels of the Deployment only, such as labels that webhooks select. */
  readonly ownLabels?: Texts
  /** Labels of the Pods only, such as labels for network access. */
  readonly podLabels?: Texts
  readonly podAnnotations?: Texts
  /** Config objects that the Pods mount. Annotations keep them from garbage collection. */
  readonly mounted?: readonly KubeObject[]
  /** The Pod's spec without the priority class, which workload adds. */
  readonly pod: JsonMap & { readonly containers: readonly (JsonMap & { readonly name: string })[] }
  /** Other fields of the Deployment's spec, such as the strategy. */
  readonly spec?: JsonMap
  /** `Off`: the autoscaler only recommends, because another autoscaler scales the Pods. */
  readonly autoscaling?: 'Auto' | 'Off'
  /** The lowest requests that the autoscaler sets for a container. Absent: 10m and 10Mi. */
  readonly minAllowed?: Texts
}

/** Security context of a Pod: an unprivileged user, as in images without a shell. */
export const nonroot = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 } as const

export const requests = (cpu: string, memory: string) => ({ requests: { cpu, memory } })

export const workload = (work: Workload): KubeObject[] => [
  gardenDeployment(work),
  podDisruptionBudget(work),
  deploymentAutoscaler(work),
]

const selected = ({ name, labels }: Workload): Texts => labels ?? { app: name }

const gardenDeployment = (work: Workload): KubeObject => {
  const { name, namespace = garden, replicas, type, pod, spec, priority } = work
  const labels = { ...selected(work), ...(type && replicaType(type)), ...work.ownLabels, ...ownershipLabel }
  const references = referencesTo(work.mounted ?? [])
  const annotations = { ...references, ...(type && replicas !== undefined && replicaCount(replicas)) }
  const podAnnotations = { ...references, ...work.podAnnotations }
  const template = {
    metadata: {
      labels: { ...selected(work), ...work.podLabels, ...ownershipLabel },
      ...(Object.keys(podAnnotations).length > 0 && { annotations: podAnnotations }),
    },
    spec: { priorityClassName: gardenPriority(priority), ...pod },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...(replicas !== undefined && { replicas }),
      revisionHistoryLimit: 2,
      selector: { matchLabels: selected(work) },
      ...spec,
      template,
    },
  }
}

const podDisruptionBudget = (work: Workload): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: work.name, namespace: work.namespace ?? garden, labels: { ...selected(work), ...ownershipLabel } },
  spec: {
    maxUnavailable: 1,
    selector: { matchLabels: selected(work) },
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  },
})

const deploymentAutoscaler = ({ name, namespace, minAllowed = least, autoscaling }: Workload): KubeObject =>
  autoscalerOf(
    { kind: 'Deployment', name, namespace },
    [{ containerName: '*', controlledValues: 'RequestsOnly', minAllowed }],
    autoscaling,
  )

const least = { cpu: '10m', memory: '10Mi' }

type Target = { readonly kind: 'Deployment' | 'StatefulSet'; readonly name: string; readonly namespace?: string }

/** The VerticalPodAutoscaler NAME-vpa. */
export const autoscalerOf = (
  { kind, name, namespace = garden }: Target,
  containerPolicies: readonly JsonMap[],
  updateMode: Workload['autoscaling'] = 'Auto',
): KubeObject => ({
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  metadata: { name: `${name}-vpa`, namespace, labels: ownershipLabel },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind, name },
    updatePolicy: { updateMode },
    resourcePolicy: { containerPolicies },
  },
})

/** Keeps traffic to a Service in its zone, if the Garden requires this: `spec: { ports, ...trafficDistribution(world) }`. */
export const trafficDistribution = ({ garden, runtimeMinor }: World): { trafficDistribution?: string } => {
  const { settings } = garden.spec.runtimeCluster
  if (settings?.topologyAwareRouting?.enabled !== true) return {}
  return { trafficDistribution: runtimeMinor >= 34 ? 'PreferSameZone' : 'PreferClose' }
}

// Finds the images of a Garden's containers in the images of the installation.
//
//   image(world, 'etcd-druid') // 'registry.example/etcd-druid:v0.33.0'
/** The image of a container. Callers check `imageFault` first. */
export const image = (world: World, container: string): string => {
  const row = rowFor(world, container)
  if (row === undefined) throw new TypeError(imageFault(world, container))
  return `${row.repository}:${row.tag ?? `v${versionOf(world)}`}`
}

/** Name, image and pull policy of a container. The container has the same name as its image. */
export const imageFields = (world: World, name: string) => ({
  name,
  image: image(world, name),
  imagePullPolicy: 'IfNotPresent',
})

/** Why a container has no image. Names the container, and the version if other versions have an image. */
export const imageFault = (world: World, container: string): string | undefined => {
  if (rowFor(world, container) !== undefined) return
  const isKnown = world.settings.images.some(({ name }) => name === container)
  return `no image for container ${container}${isKnown ? ` and Kubernetes ${versionOf(world)}` : ''}`
}

const rowFor = (world: World, container: string): ContainerImage | undefined =>
  world.settings.images.find(
    ({ name, targetVersion }) =>
      name === container && (targetVersion === undefined || satisfies(versionOf(world), targetVersion)),
  )

/** `1.34` means 1.34.0. */
const versionOf = ({ garden }: World): string => {
  const { version } = garden.spec.virtualCluster.kubernetes
  return coerce(version)?.version ?? version
}

// A Service of type ClusterIP.
//
//   clusterIpService({ name: 'plutono', labels: { component: 'plutono' }, ports: [{ name: 'web', port: 3000, protocol: 'TCP' }] })
type ServiceOf = {
  readonly name: string
  readonly namespace?: string
  readonly labels: Texts
  /** Absent: the labels are also the selector. */
  readonly selector?: Texts
  readonly annotations?: Texts | undefined
  readonly spec?: JsonMap | undefined
  readonly ports: readonly JsonMap[]
}

export const clusterIpService = ({ name, labels, annotations, spec, ports, ...fields }: ServiceOf): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: fields.namespace ?? garden, labels, ...(annotations && { annotations }) },
  spec: { type: 'ClusterIP', selector: fields.selector ?? labels, ...spec, ports },
})
