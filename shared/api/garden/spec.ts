// spec of a Garden.
import {
  ageColumn,
  type Column,
  type CustomResourceDefinition,
  conditionColumn,
  customResourceDefinition,
} from '../custom-resource.ts'
import {
  about,
  atomic,
  defaulted,
  flag,
  list,
  mapOf,
  nonEmptyList,
  nonEmptyText,
  object,
  oneOf,
  options,
  quantity,
  raw,
  text,
} from '../schema.ts'
import descriptions from './descriptions.json' with { type: 'json' }
import { domains, featureGates, idle, localRef, networks, olderDomain, resourceList } from './parts.ts'
import { gardenStatus } from './status.ts'
import { virtualCluster } from './virtual-cluster.ts'

// spec.runtimeCluster of a Garden: the cluster of its control plane.

const ingress = object(
  {
    controller: object(
      { kind: oneOf('nginx') },
      { providerConfig: about('Settings that override the defaults of the controller.', raw) },
    ),
  },
  { domains, domain: olderDomain },
)

const networking = object(
  { pods: networks, services: networks },
  {
    ipFamilies: list(text),
    nodes: about('CIDRs. CIDRs can be added, but not removed.', list(text)),
    blockCIDRs: about('Networks to which no component may connect.', list(text)),
  },
)

const settings = options({
  loadBalancerServices: options({
    annotations: about('Annotations for every Service of type LoadBalancer.', mapOf(text)),
    externalTrafficPolicy: text,
    proxyProtocol: idle(object({ allowed: flag })),
  }),
  verticalPodAutoscaler: options({
    enabled: about('Disable it only if the cluster already has its own.', defaulted(flag, true)),
    featureGates,
    maxAllowed: about('Upper limit for recommendations of the autoscaler.', resourceList),
  }),
  topologyAwareRouting: object({ enabled: flag }),
  persistentVolumeClaimAutoscaler: idle(object({ enabled: flag })),
})

const runtimeCluster = about(
  'The cluster in which the control plane of the Garden runs.',
  object(
    {
      ingress: about('Domains of the web pages of the Garden.', ingress),
      networking: about('The networks of the runtime cluster.', networking),
      provider: options({
        region: idle(text),
        zones: about('Availability zones over which Pods are spread.', list(text)),
      }),
    },
    { settings, volume: idle(options({ minimumSize: quantity })) },
  ),
)

const dnsProvider = object({ name: nonEmptyText, type: nonEmptyText, secretRef: localRef }, { providerConfig: raw })

const resourceRef = atomic(object({ kind: text, name: text }, { apiVersion: text }))

export const gardenSpec = about(
  'Desired state of the Garden.',
  object(
    { runtimeCluster, virtualCluster },
    {
      dns: idle(object({ providers: nonEmptyList(dnsProvider) })),
      extensions: idle(list(object({ type: nonEmptyText }, { providerConfig: raw }))),
      resources: about(
        'Additional Secrets and ConfigMaps in namespace garden to which the Garden refers.',
        list(object({ name: text, resourceRef })),
      ),
    },
  ),
)

// The CustomResourceDefinition of Garden.

const columns: readonly Column[] = [
  conditionColumn('Reconciled', 'Reconciled', 'Whether the last operation succeeded.'),
  {
    name: 'K8S Version',
    type: 'string',
    jsonPath: '.spec.virtualCluster.kubernetes.version',
    description: 'Kubernetes version of the virtual garden.',
  },
  {
    name: 'Gardener Version',
    type: 'string',
    jsonPath: '.status.gardener.version',
    description: 'The operator and the version that last reconciled the Garden.',
  },
  {
    name: 'Last Operation',
    type: 'string',
    jsonPath: '.status.lastOperation.state',
    description: 'State of the last operation.',
  },
  conditionColumn('Runtime', 'RuntimeComponentsHealthy', 'Health of the components of the runtime cluster.'),
  conditionColumn('Virtual', 'VirtualComponentsHealthy', 'Health of the components of the virtual garden.'),
  conditionColumn(
    'API Server',
    'VirtualGardenAPIServerAvailable',
    'Whether the API server of the virtual garden responds.',
  ),
  conditionColumn(
    'Observability',
    'ObservabilityComponentsHealthy',
    'Health of the logging and monitoring components.',
  ),
  ageColumn,
]

export const gardenCrd = (): CustomResourceDefinition =>
  customResourceDefinition({
    group: 'operator.gardener.cloud',
    version: 'v1alpha1',
    kind: 'Garden',
    plural: 'gardens',
    shortNames: ['grdn'],
    scope: 'Cluster',
    description: 'A Gardener installation: two etcds, a kube-apiserver and the control plane of Gardener in it.',
    descriptions,
    columns,
    spec: gardenSpec,
    status: gardenStatus,
  })
