// The mesh of a runtime cluster that has no mesh. istiod configures gateways and issues their certificates. No Pod gets a sidecar. The mesh
// sees only Services that are explicitly exported to it.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { image } from '../parts/images.ts'
import { role } from '../parts/names.ts'
import { allow, namespaceAccess, programAccount, programClusterAccess, verbs } from '../parts/rbac.ts'
import { clusterIpService, openTo, openToNamespaces, toRuntimeApiserver } from '../parts/services.ts'
import { requests, workload } from '../parts/workload.ts'
import { zonedMeshNamespace } from './garden-system.ts'
import { isMeshForeign, istioNamespace as namespace, ownMesh } from './switches.ts'

const name = 'istiod'
const labels = { app: name, istio: 'pilot' }
const istiodPorts = { debug: 8080, webhooks: 10_250, discovery: 15_012, metrics: 15_014 } as const
const edit = 'get list watch create update patch delete'

const meshGroups = ['networking', 'security', 'telemetry', 'extensions'].map(name => `${name}.istio.io`).join(' ')

const clusterRules = [
  allow('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', `${verbs.read} update patch`),
  allow('admissionregistration.k8s.io', 'validatingwebhookconfigurations', `${verbs.read} update`),
  allow(meshGroups, '*', verbs.read),
  allow('networking.istio.io', 'workloadentries workloadentries/status serviceentries/status', edit),
  allow('security.istio.io', 'authorizationpolicies/status', edit),
  allow('', 'services/status', edit),
  allow('apiextensions.k8s.io', 'customresourcedefinitions', verbs.read),
  allow('', 'pods nodes services namespaces endpoints secrets', verbs.read),
  allow('discovery.k8s.io', 'endpointslices', verbs.read),
  allow('networking.k8s.io', 'ingresses ingressclasses', verbs.read),
  allow('networking.k8s.io', 'ingresses/status', '*'),
  allow('', 'configmaps', `${verbs.read} create update`),
  allow('authentication.k8s.io', 'tokenreviews', 'create'),
  allow('authorization.k8s.io', 'subjectaccessreviews', 'create'),
]

const ownRules = [
  allow('networking.istio.io', 'gateways', 'create'),
  allow('', 'secrets', 'create get watch list update delete'),
  allow('', 'configmaps', 'delete'),
  allow('coordination.k8s.io', 'leases', 'get update patch create'),
]

const istiodAccess: readonly KubeObject[] = [
  programAccount(name, namespace),
  ...programClusterAccess(`istiod-clusterrole-${namespace}`, clusterRules, { namespace, account: name }),
  ...namespaceAccess(name, ownRules, { namespace }),
]

export const istiod = (world: World): readonly KubeObject[] => {
  if (isMeshForeign(world)) return []
  const objects = [...istiodAccess, meshConfig, service, mutualTls, validation, ...deployment(world)]
  const content = { where: 'runtime', namespace, objects } as const
  return [zonedMeshNamespace(world, namespace, 'istio-system'), ...managedResource(ownMesh, content)]
}

const hidden = ['~']

/** Gateways also mount this ConfigMap, by its name. */
const meshConfig: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'istio', namespace, labels },
  data: {
    meshNetworks: yamlOf({ networks: {} }),
    mesh: yamlOf({
      accessLogFile: '/dev/stdout',
      ingressControllerMode: 'OFF',
      trustDomain: 'cluster.local',
      defaultServiceExportTo: hidden,
      defaultVirtualServiceExportTo: hidden,
      defaultDestinationRuleExportTo: hidden,
      defaultConfig: { discoveryAddress: `${name}.${namespace}.svc:${istiodPorts.discovery}` },
      defaultProviders: { metrics: ['prometheus'] },
      enablePrometheusMerge: true,
      rootNamespace: namespace,
    }),
  },
}

/** Namespaces that may call istiod: gateways of Gardener, and clients in namespace garden. */
const peers = [
  { matchLabels: role('istio-ingress') },
  { matchExpressions: [{ key: 'handler.exposureclass.gardener.cloud/name', operator: 'Exists' }] },
  { matchLabels: { 'kubernetes.io/metadata.name': 'garden' } },
]

const port = (name: string, number: number, targetPort = number) => ({
  name,
  port: number,
  protocol: 'TCP',
  targetPort,
})

const service = clusterIpService({
  name,
  namespace,
  labels,
  annotations: {
    ...openTo.world([istiodPorts.webhooks]),
    ...openToNamespaces(peers),
  },
  ports: [
    port('https-sds', istiodPorts.discovery),
    port('https-webhook', 443, istiodPorts.webhooks),
    port('metrics', istiodPorts.metrics),
  ],
})

/** A gateway uses mutual TLS of the mesh for every host without its own DestinationRule. */
const mutualTls: KubeObject = {
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'DestinationRule',
  metadata: { name: 'default', namespace },
  spec: { host: '*', exportTo: ['*'], trafficPolicy: { tls: { mode: 'ISTIO_MUTUAL' } } },
}

/** istiod finds this configuration by its revision, and sets its CA bundle and, once istiod answers, failurePolicy Fail. */
const validation: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name, labels: { ...labels, 'istio.io/rev': 'default' } },
  webhooks: [
    {
      name: 'rev.validation.istio.io',
      clientConfig: { service: { name, namespace, path: '/validate' } },
      rules: [
        {
          apiGroups: ['security', 'networking', 'telemetry', 'extensions'].map(group => `${group}.istio.io`),
          apiVersions: ['*'],
          resources: ['*'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      sideEffects: 'None',
      timeoutSeconds: 10,
      admissionReviewVersions: ['v1beta1', 'v1'],
    },
  ],
}

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    namespace,
    replicas: 2,
    priority: 'critical',
    labels,
    minAllowed: { memory: '128Mi' },
    podLabels: toRuntimeApiserver,
    podAnnotations: { 'sidecar.istio.io/inject': 'false' },
    spec: { strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: '25%' } } },
    pod: istiodPod(world),
  })

const user = 1337

export const isDualStack = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.networking.ipFamilies?.length === 2

/** istiod and gateways listen on IPv4 and IPv6 only with this variable. */
export const bothFamilies = (world: World) => (isDualStack(world) ? [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] : [])

const istiodPod = (world: World) => ({
  serviceAccountName: name,
  securityContext: { fsGroup: user },
  containers: [
    {
      name: 'discovery',
      image: image(world, 'istio-istiod'),
      imagePullPolicy: 'IfNotPresent',
      args,
      env: [...environment, ...bothFamilies(world)],
      ports: Object.values(istiodPorts).map(containerPort => ({ containerPort, protocol: 'TCP' })),
      readinessProbe: {
        httpGet: { path: '/ready', port: istiodPorts.debug },
        initialDelaySeconds: 1,
        periodSeconds: 3,
        timeoutSeconds: 5,
      },
      resources: requests('250m', '256Mi'),
      securityContext: {
        capabilities: { drop: ['ALL'] },
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
      },
      volumeMounts: volumes.map(({ name, at, readOnly }) => ({ name, mountPath: at, ...(readOnly && { readOnly }) })),
    },
  ],
  volumes: volumes.map(({ name, source }) => ({ name, ...source })),
})

/** istiod serves its configuration only with TLS; the plain port is off. */
const args = [
  'discovery',
  `--monitoringAddr=:${istiodPorts.metrics}`,
  `--httpsAddr=:${istiodPorts.webhooks}`,
  '--grpcAddr=',
  '--log_output_level=default:info,ads:error',
  '--domain=cluster.local',
  '--keepaliveMaxServerConnectionAge=30m',
]

export const fromField = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
})

const environment = [
  { name: 'REVISION', value: 'default' },
  { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  fromField('SERVICE_ACCOUNT', 'spec.serviceAccountName'),
  { name: 'PILOT_TRACE_SAMPLING', value: '1' },
  { name: 'PILOT_ENABLE_ANALYSIS', value: 'false' },
  { name: 'CLUSTER_ID', value: 'Kubernetes' },
]

export const meshToken = { path: 'istio-token', expirationSeconds: 43_200, audience: 'istio-ca' }

/** The Secrets with a CA or a certificate for istiod are optional, because only some users create them. */
const volumes: readonly { name: string; at: string; readOnly?: true; source: JsonMap }[] = [
  {
    name: 'istio-token',
    at: '/var/run/secrets/tokens',
    readOnly: true,
    source: { projected: { sources: [{ serviceAccountToken: meshToken }] } },
  },
  { name: 'local-certs', at: '/var/run/secrets/istio-dns', source: { emptyDir: { medium: 'Memory' } } },
  {
    name: 'cacerts',
    at: '/etc/cacerts',
    readOnly: true,
    source: { secret: { secretName: 'cacerts', optional: true } },
  },
  {
    name: 'istio-csr-dns-cert',
    at: '/var/run/secrets/istiod/tls',
    readOnly: true,
    source: { secret: { secretName: 'istiod-tls', optional: true } },
  },
  {
    name: 'istio-csr-ca-configmap',
    at: '/var/run/secrets/istiod/ca',
    readOnly: true,
    source: { configMap: { name: 'istio-ca-root-cert', optional: true } },
  },
]
