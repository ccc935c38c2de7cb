// Workloads of a Garden: Deployments with a disruption budget and a VerticalPodAutoscaler, and their access to the virtual garden.
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
import { secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { referencesTo } from './config-object.ts'
import { namespace as garden, gardenPriority, ownershipLabel, prefixes, replicaCount, replicaType } from './names.ts'

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

export const httpProbe = (path: string, port: number | string, fields: JsonMap) => ({
  httpGet: { path, port, scheme: 'HTTP' },
  ...fields,
})

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

const folder = '/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig'

export const clientFiles = { folder, kubeconfig: `${folder}/kubeconfig`, token: `${folder}/token` } as const

/**
 * How a Pod of the runtime cluster reaches the virtual garden: with the generic kubeconfig and the Pod's own token, both mounted in one
 * folder. The resource manager of the virtual garden creates and renews the token of ServiceAccount `name` in namespace kube-system.
 */
export const virtualGardenClient = (world: World, name: string) => {
  const secret = tokenSecret(name)
  const from = (source: string, key: string) => ({
    secret: { name: source, items: [{ key, path: key }], optional: false },
  })
  const sources = [
    from(secretNow(world, 'generic-token-kubeconfig').metadata.name, 'kubeconfig'),
    from(secret.metadata.name, 'token'),
  ]
  return {
    secret,
    volume: { name: 'kubeconfig', projected: { defaultMode: 0o640, sources } },
    mount: { name: 'kubeconfig', mountPath: folder, readOnly: true },
  }
}

/** Requests a token of the ServiceAccount from the resource manager of the virtual garden, which writes `data`. */
export const tokenSecret = (serviceAccount: string, name = `shoot-access-${serviceAccount}`): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: garden,
    labels: {
      [`${prefixes.resources}/purpose`]: 'token-requestor',
      [`${prefixes.resources}/class`]: 'shoot',
      ...ownershipLabel,
    },
    annotations: {
      [`${prefixes.serviceAccount}/name`]: serviceAccount,
      [`${prefixes.serviceAccount}/namespace`]: 'kube-system',
    },
  },
  type: 'Opaque',
})
