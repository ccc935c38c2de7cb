// The ingress controller of the runtime cluster, for Plutono and gardener-discovery-server.
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource } from '../parts/config-object.ts'
import { image, imageFields } from '../parts/images.ts'
import { namespace, ownershipLabel, prefixes } from '../parts/names.ts'
import { allow, namespaceAccess, programAccount, programClusterAccess } from '../parts/rbac.ts'
import { clusterIpService, loadBalancer, openTo, toRuntimeApiserver, toService } from '../parts/services.ts'
import { httpProbe, requests, workload } from '../parts/workload.ts'

const account = 'nginx-ingress'
const controller = 'nginx-ingress-controller'
const backend = 'nginx-ingress-k8s-backend'
const ingressClass = 'nginx-ingress-gardener'
const lease = 'ingress-controller-seed-leader'

const labelsOf = (component: 'controller' | 'nginx-ingress-k8s-backend') => ({ app: 'nginx-ingress', component })

export const nginxIngress = (world: World): readonly KubeObject[] => {
  const config = configMap(controller, configuration(world))
  const objects = [
    ...[config, programAccount(account), ...access, service(world), backendService, classObject],
    ...[...deployment(world, config), ...backendDeployment(world)],
  ]
  return managedResource('nginx-ingress', { where: 'runtime', objects })
}

/** The defaults, overridden by the Garden's providerConfig. nginx accepts only text values. */
const configuration = ({ garden }: World): Record<string, string> => {
  const { providerConfig } = garden.spec.runtimeCluster.ingress.controller
  const given = Object.entries(mapOrEmpty(providerConfig)).map(([key, value]) => [key, textOf(value)])
  return { ...defaults, ...Object.fromEntries(given) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const defaults = {
  'server-name-hash-bucket-size': '256',
  'use-proxy-protocol': 'false',
  'worker-processes': '2',
  'allow-snippet-annotations': 'false',
} as const

const access = [
  ...namespaceAccess(
    account,
    [
      allow('', 'configmaps namespaces pods secrets', 'get'),
      allow('', 'endpoints', 'create get update'),
      { ...allow('coordination.k8s.io', 'leases', 'get update'), resourceNames: [lease] },
      allow('coordination.k8s.io', 'leases', 'create'),
      allow('discovery.k8s.io', 'endpointslices', 'get list watch'),
    ],
    { account },
  ),
  ...programClusterAccess(
    account,
    [
      allow('', 'endpoints nodes pods secrets', 'list watch'),
      allow('', 'nodes', 'get'),
      allow('', 'services configmaps', 'get list watch'),
      allow('networking.k8s.io', 'ingresses ingressclasses', 'get list watch'),
      allow('', 'events', 'create patch'),
      allow('networking.k8s.io', 'ingresses/status', 'update'),
      allow('coordination.k8s.io', 'leases', 'list watch'),
      allow('discovery.k8s.io', 'endpointslices', 'get list watch'),
    ],
    { account },
  ),
]

const service = (world: World): KubeObject =>
  loadBalancer(world, {
    name: controller,
    namespace,
    selector: labelsOf('controller'),
    annotations: openTo.world([80, 443]),
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 80 },
      { name: 'https', port: 443, protocol: 'TCP', targetPort: 443 },
    ],
  })

const backendService = clusterIpService({
  name: backend,
  labels: { ...labelsOf(backend), ...ownershipLabel },
  selector: labelsOf(backend),
  ports: [{ port: 80, protocol: 'TCP', targetPort: 8080 }],
})

const classObject: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: ingressClass, labels: { ...labelsOf('controller'), ...ownershipLabel } },
  spec: { controller: `k8s.io/${ingressClass}` },
}

const args = (config: KubeObject): string[] => [
  '/nginx-ingress-controller',
  `--default-backend-service=${namespace}/${backend}`,
  '--enable-ssl-passthrough=true',
  `--publish-service=${namespace}/${controller}`,
  `--election-id=${lease}`,
  '--update-status=true',
  '--annotations-prefix=nginx.ingress.kubernetes.io',
  `--configmap=${namespace}/${config.metadata.name}`,
  `--ingress-class=${ingressClass}`,
  `--controller-class=k8s.io/${ingressClass}`,
  '--enable-annotation-validation=true',
]

const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } })

const deployment = (world: World, config: KubeObject): KubeObject[] =>
  workload({
    name: controller,
    replicas: 2,
    priority: 300,
    labels: labelsOf('controller'),
    mounted: [config],
    minAllowed: { memory: '100Mi' },
    podLabels: {
      ...toRuntimeApiserver,
      ...toService(backend, 8080),
      [`seccompprofile.${prefixes.resources}/skip`]: 'true',
    },
    pod: {
      serviceAccountName: account,
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          ...imageFields(world, controller),
          args: args(config),
          env: [field('POD_NAME', 'metadata.name'), field('POD_NAMESPACE', 'metadata.namespace')],
          ports: [
            { name: 'http', containerPort: 80, protocol: 'TCP' },
            { name: 'https', containerPort: 443, protocol: 'TCP' },
          ],
          resources: { ...requests('100m', '375Mi'), limits: { memory: '1500Mi' } },
          livenessProbe: probe,
          readinessProbe: probe,
          securityContext: {
            capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'SYS_CHROOT'] },
            runAsNonRoot: true,
            runAsUser: 101,
            allowPrivilegeEscalation: true,
            seccompProfile: { type: 'Unconfined' },
          },
        },
      ],
    },
  })

const probe = httpProbe('/healthz', 10_254, { initialDelaySeconds: 40 })

const backendDeployment = (world: World): KubeObject[] =>
  workload({
    name: backend,
    replicas: 1,
    priority: 300,
    labels: labelsOf(backend),
    pod: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 60,
      securityContext: { runAsNonRoot: true, runAsUser: 65_534, fsGroup: 65_534 },
      containers: [
        {
          name: backend,
          image: image(world, 'ingress-default-backend'),
          imagePullPolicy: 'IfNotPresent',
          livenessProbe: httpProbe('/healthy', 8080, { initialDelaySeconds: 30, timeoutSeconds: 5 }),
          ports: [{ containerPort: 8080, protocol: 'TCP' }],
          resources: { ...requests('20m', '20Mi'), limits: { memory: '100Mi' } },
          securityContext: { allowPrivilegeEscalation: false },
        },
      ],
    },
  })
