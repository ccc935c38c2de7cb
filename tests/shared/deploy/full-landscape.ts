// A landscape that uses everything serverless.yml may say. `Required` makes the compiler name what is missing here when a
// type gets a new field; the test of the schema then finds whether the schema knows it.
import type {
  AccessRule,
  AdmissionSettings,
  FunctionSettings,
  InventorySettings,
  Landscape,
  ProviderSettings,
  RemoteSettings,
  ScheduleSettings,
  WatchEventSettings,
  WatchFilter,
} from '../../../shared/api/serverless.ts'

const remote: Required<RemoteSettings> = {
  namespace: 'runtimes',
  optionalLabels: { 'example.org/managed': 'true' },
  nameLabel: 'example.org/runtime',
  kubeconfigKey: 'config',
  allowedHosts: ['*.example.org'],
  watched: true,
}

const provider: Required<ProviderSettings> = {
  name: 'espalier',
  namespace: 'espalier-system',
  sweepSeconds: 3600,
  remotes: { runtimes: remote },
}

const filters: Record<WatchFilter, true> = {
  generation: true,
  annotations: true,
  labels: true,
  status: true,
  deletion: true,
  any: true,
}

const remoteWatch: Required<WatchEventSettings> = {
  apiVersion: 'example.org/v1beta1',
  kind: 'Policy',
  plural: 'policies',
  cluster: 'runtimes',
  namespace: 'default',
  labelSelector: 'example.org/watched=true',
  fieldSelector: 'metadata.name=default',
  metadataOnly: true,
  on: Object.keys(filters) as WatchFilter[],
  map: 'cluster',
}

const watches: WatchEventSettings[] = [
  { apiVersion: 'example.org/v1', kind: 'Orchard', on: ['generation'], map: 'self' },
  { apiVersion: 'apps/v1', kind: 'Deployment', on: ['status'], map: 'owner' },
  { apiVersion: 'v1', kind: 'Secret', namespace: 'orchards', on: ['any'], map: 'keys' },
  { apiVersion: 'v1', kind: 'Secret', namespace: 'orchards', on: ['any'], map: { label: 'example.org/orchard' } },
  {
    apiVersion: 'example.org/v1',
    kind: 'Orchard',
    on: ['labels'],
    map: { annotation: 'example.org/neighbour', namespace: 'orchards' },
  },
  { apiVersion: 'example.org/v1', kind: 'Orchard', on: ['any'], map: { key: { namespace: '', name: 'default' } } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'orchards',
    fieldSelector: 'metadata.name=orchard-token',
    on: ['any'],
    map: 'keys',
  },
  remoteWatch,
]

const schedule: Required<ScheduleSettings> = { cron: '*/10 * * * *', timeZone: 'Europe/Berlin', spreadSeconds: 60 }

const inventory: Required<InventorySettings> = {
  path: 'status.inventory',
  kind: 'Secret',
  on: ['generation', 'deletion'],
  ownerLabel: 'example.org/owned',
  ownerAnnotation: 'example.org/owner',
  cluster: 'runtimes',
  clusterLabel: 'example.org/runtime',
  remotePath: 'spec.remote',
  kubeConfigPath: 'spec.kubeConfig.secretRef',
  kubeConfigHosts: ['*.example.org'],
  kubeConfigLookups: true,
}

const orchardsOf: AccessRule = {
  apiGroups: ['example.org'],
  resources: ['orchards', 'orchards/status'],
  verbs: ['get', 'list', 'watch', 'patch'],
}

const namedSecret: Required<AccessRule> = {
  apiGroups: [''],
  resources: ['secrets'],
  verbs: ['get', 'update'],
  resourceNames: ['orchard-token'],
  namespaces: ['orchards'],
}

const prune: Required<Omit<FunctionSettings, 'environment'>> = {
  handler: 'functions/prune/index.prune',
  description: 'Cuts orchards back',
  timeout: 60,
  concurrency: 5,
  memorySize: 128,
  settings: { most: 3, word: 'pear' },
  failureBaseSeconds: 1,
  failureMaxSeconds: 300,
  access: [orchardsOf, { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] }, namedSecret],
  grants: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] }],
  events: [...watches.map(watch => ({ watch })), { schedule }, { inventory }],
}

const review: Required<AdmissionSettings> = {
  type: 'mutating',
  webhook: 'defaulting.example.org',
  configuration: 'orchards',
  path: 'default-orchard',
  rules: [
    {
      apiGroups: ['example.org'],
      apiVersions: ['v1'],
      resources: ['orchards'],
      operations: ['CREATE', 'UPDATE'],
      scope: 'Namespaced',
    },
  ],
  failurePolicy: 'Fail',
  matchPolicy: 'Exact',
  timeoutSeconds: 10,
  objectSelector: { matchLabels: { 'example.org/checked': 'true' } },
  namespaces: ['orchard'],
  matchConditions: [{ name: 'grows', expression: 'object.spec.trees > 0' }],
  reinvocationPolicy: 'IfNeeded',
}

const inspect: FunctionSettings = {
  ...prune,
  handler: 'functions/inspect/index.inspect',
  description: 'Answers reviews of orchards',
  memorySize: 64,
  timeout: 10,
  access: [{ apiGroups: ['example.org'], resources: ['orchards'], verbs: ['get', 'list'] }],
  events: [
    { admission: review },
    {
      admission: {
        type: 'validating',
        webhook: 'validation.example.org',
        configuration: 'orchards',
        path: 'validate-orchard',
        rules: [
          {
            apiGroups: ['example.org'],
            apiVersions: ['v1'],
            resources: ['orchards'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
          },
        ],
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
      },
    },
  ],
}

/** A function that hears from other clusters. */
export const listen: FunctionSettings = {
  ...prune,
  handler: 'functions/listen/index.listen',
  description: 'Hears of orchards elsewhere',
  events: [{ callback: { contracts: ['v1', 'v2'] } }],
}

/** A reconcile function and an admission function; a fresh copy every time. */
export const fullLandscape = (): Landscape =>
  structuredClone({ service: 'orchards', provider, functions: { prune, inspect } })
