// Of what each of Istio's charts makes, the objects that settings of components change, as small as they can be.
import type { KubeObject } from '../../../shared/core/objects/object.ts'

type Workload = { readonly kind: 'Deployment' | 'DaemonSet'; readonly name: string; readonly container: string }

const metadataOf = (name: string) => ({ namespace: 'istio-system', name })

const workload = ({ kind, name, container }: Workload): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: metadataOf(name),
  spec: {
    ...(kind === 'Deployment' && { strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }),
    template: {
      metadata: { labels: { app: name }, annotations: { 'sidecar.istio.io/inject': 'false' } },
      spec: {
        securityContext: { runAsUser: 1337, runAsNonRoot: true },
        containers: [
          {
            name: container,
            image: `hub/${container}:tag`,
            env: [
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'PILOT_HTTP10', value: '0' },
            ],
            resources: { requests: { cpu: '10m' } },
          },
        ],
      },
    },
  },
})

const scaler = (name: string): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: metadataOf(name),
  spec: {
    minReplicas: 1,
    maxReplicas: 5,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
})

const budget = (name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(name),
  spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
})

const entry = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...metadataOf(name), annotations: { kept: 'yes' } },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
})

const scaled = (name: string, container: string): readonly KubeObject[] => [
  workload({ kind: 'Deployment', name, container }),
  ...[scaler(name), budget(name), entry(name)],
]

const charts: Readonly<Record<string, readonly KubeObject[]>> = {
  'istio-control/istio-discovery': scaled('istiod', 'discovery'),
  'gateways/istio-ingress': scaled('istio-ingressgateway', 'istio-proxy'),
  'gateways/istio-egress': scaled('istio-egressgateway', 'istio-proxy'),
  'istio-cni': [workload({ kind: 'DaemonSet', name: 'istio-cni-node', container: 'install-cni' })],
  ztunnel: [workload({ kind: 'DaemonSet', name: 'ztunnel', container: 'istio-proxy' })],
}

/** None for charts whose objects nothing is laid over. */
export const objectsOfChart = (directory: string): readonly KubeObject[] => charts[directory] ?? []
