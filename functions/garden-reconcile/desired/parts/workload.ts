// Deployments of a Garden, with what every one of them has beside it: a disruption budget and a VerticalPodAutoscaler.
//
//   workload({
//     name: 'etcd-druid',
//     replicas: 1,
//     type: 'controller',
//     priority: 300,
//     pod: { serviceAccountName: 'etcd-druid', containers: [{ name: 'etcd-druid', image, resources: requests('50m', '128Mi') }] },
//   })
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { referencesTo } from './config-object.ts'
import { namespace as garden, gardenPriority, ownershipLabel, replicaCount, replicaType } from './names.ts'

type Texts = Readonly<Record<string, string>>

export type Workload = {
  readonly name: string
  readonly namespace?: string
  /** Absent: nobody's: an autoscaler sets them. */
  readonly replicas?: number
  readonly type?: 'server' | 'controller'
  readonly priority: Parameters<typeof gardenPriority>[0]
  /** Of the Deployment; they select its Pods too. */
  readonly labels?: Texts
  /** Of the Deployment alone, such as what webhooks select by. */
  readonly ownLabels?: Texts
  /** Of its Pods alone, such as what they may talk to. */
  readonly podLabels?: Texts
  readonly podAnnotations?: Texts
  /** Config objects that the Pods mount: annotations keep them from being collected as garbage. */
  readonly mounted?: readonly KubeObject[]
  /** The Pod's spec; the priority class is added. */
  readonly pod: JsonMap & { readonly containers: readonly (JsonMap & { readonly name: string })[] }
  /** Further fields of the Deployment's spec, such as its strategy. */
  readonly spec?: JsonMap
  /** `Off`: only recommends, for what another autoscaler scales. */
  readonly autoscaling?: 'Auto' | 'Off'
  /** What the autoscaler gives a container at least. Absent: 10m and 10Mi. */
  readonly minAllowed?: Texts
}

/** Of a Pod: nobody's user, as images without a shell have it. */
export const nonroot = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 } as const

export const requests = (cpu: string, memory: string) => ({ requests: { cpu, memory } })

/** Deployment, PodDisruptionBudget and VerticalPodAutoscaler. */
export const workload = (work: Workload): KubeObject[] => [
  gardenDeployment(work),
  podDisruptionBudget(work),
  verticalPodAutoscaler(work),
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

const verticalPodAutoscaler = (work: Workload): KubeObject => ({
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  metadata: { name: `${work.name}-vpa`, namespace: work.namespace ?? garden, labels: ownershipLabel },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: work.name },
    updatePolicy: { updateMode: work.autoscaling ?? 'Auto' },
    resourcePolicy: {
      containerPolicies: [
        {
          containerName: '*',
          controlledValues: 'RequestsOnly',
          minAllowed: work.minAllowed ?? { cpu: '10m', memory: '10Mi' },
        },
      ],
    },
  },
})
