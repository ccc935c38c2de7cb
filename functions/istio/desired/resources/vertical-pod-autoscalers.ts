// The VerticalPodAutoscalers: one for our own Deployment and, if the feature is on, one per workload of the mesh. If the cluster does not
// serve VerticalPodAutoscalers, none is applied.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { type ResourceRow, resourceMetadata, resourceRow } from './resource-row.ts'

export const vpaKind = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' } as const

const operatorVpa = resourceRow({
  kind: vpaKind,
  namespace: istioNames.namespaces.control,
  name: 'istio-operator-vpa',
  when: ({ isVpaServed }) => isVpaServed,
  spec: ({ deployment }) =>
    specOf('Deployment', deployment, {
      containerName: 'manager',
      minAllowed: { cpu: '10m', memory: '64Mi' },
      maxAllowed: { cpu: '10000m', memory: '16Gi' },
    }),
})

type ScaledWorkload = {
  readonly kind: 'Deployment' | 'DaemonSet'
  readonly name: string
  /** The value of label `app.kubernetes.io/component`. */
  readonly component: string
  readonly container: string
  readonly memory: string
}

const workloads: readonly ScaledWorkload[] = [
  { kind: 'Deployment', name: 'istiod', component: 'pilot', container: 'discovery', memory: '512Mi' },
  { kind: 'DaemonSet', name: 'istio-cni-node', component: 'cni', container: 'install-cni', memory: '512Mi' },
  {
    kind: 'Deployment',
    name: 'istio-ingressgateway',
    component: 'ingressgateway',
    container: 'istio-proxy',
    memory: '128Mi',
  },
  {
    kind: 'Deployment',
    name: 'istio-egressgateway',
    component: 'egressgateway',
    container: 'istio-proxy',
    memory: '128Mi',
  },
]

const workloadVpa = ({ kind, name, component, container, memory }: ScaledWorkload): ResourceRow => {
  const labels = {
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': `${name}-default`,
  }
  return resourceRow({
    kind: vpaKind,
    name: `${name}-vpa`,
    when: ({ isVpaServed, hasControlPlaneVpas }) => isVpaServed && hasControlPlaneVpas,
    metadata: (ref, facts) => resourceMetadata(ref, facts, labels),
    spec: () =>
      specOf(kind, name, {
        containerName: container,
        controlledResources: ['memory'],
        controlledValues: 'RequestsAndLimits',
        minAllowed: { memory },
        maxAllowed: { memory: '16Gi' },
      }),
  })
}

const specOf = (kind: ScaledWorkload['kind'], name: string, containerPolicy: object) => ({
  targetRef: { apiVersion: 'apps/v1', kind, name },
  updatePolicy: { updateMode: 'InPlaceOrRecreate', minReplicas: 1 },
  resourcePolicy: { containerPolicies: [containerPolicy] },
})

export const verticalPodAutoscalers: readonly ResourceRow[] = [operatorVpa, ...workloads.map(workloadVpa)]
