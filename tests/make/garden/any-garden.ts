// Gardens as people may write them: whatever subset of fields, with short, long and odd values, together with all that they refer to and
// with rotations under way. They are meant to pass admission; a property drops those that do not, and counts them.
import fc from 'fast-check'
import { gardenReferences } from '../../../shared/api/garden/references.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { valueAt, without } from '../field.ts'
import { fullGarden, garden, sample } from './garden.ts'
import { mountedConfigMap, mountedSecret } from './virtual-garden.ts'

const full = sample('garden-full').spec
const { kubeAPIServer = {}, kubeControllerManager = {} } = full.virtualCluster.kubernetes
const { gardener } = full.virtualCluster
const { oidcConfig } = fullGarden().spec.virtualCluster.kubernetes.kubeAPIServer ?? {}

/** Any of the fields of an object, each with the value it has there. */
const someOf = <Fields extends object>(fields: Fields) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.constant(value)])), {
    requiredKeys: [],
  }) as fc.Arbitrary<Partial<Fields>>

/** Also as long as a name can be. */
const objectName = fc.oneof(
  fc.constantFrom('a', 'audit-webhook', '0', 'a.b', '1.2.3', 'true', 'null'),
  fc.constant(`${'a'.repeat(250)}.1b`),
)

const label = 'a'.repeat(63)

/** As long as DNS allows with what stands before it. */
const domain = fc.constantFrom(
  'example.com',
  'a.b',
  '1.2',
  'x--y.example.com',
  [label, label, label, 'b'.repeat(40)].join('.'),
)
const domains = fc.uniqueArray(domain, { minLength: 1, maxLength: 3 }).map(names => names.map(name => ({ name })))

const odd = fc.constantFrom(
  'plain',
  "it's",
  'a: b',
  '#x',
  '{{.}}',
  '*',
  '- a',
  'yes',
  '0644',
  ' spaced ',
  'ü',
  '%s',
  '$(HOME)',
  '\\n',
)

const networks = fc.constantFrom({ services: ['100.64.0.0/13'] }, { services: ['100.64.0.0/13', 'fd00:64::/112'] })
const runtimeNetworks = fc.constantFrom(
  { pods: ['10.1.0.0/16'], services: ['10.2.0.0/16'] },
  {
    pods: ['10.1.0.0/16', 'fd00:1::/64'],
    services: ['10.2.0.0/16', 'fd00:2::/112'],
    ipFamilies: ['IPv4', 'IPv6'],
    nodes: ['172.18.0.0/16'],
  },
)

const structured = fc.constantFrom<Record<string, unknown>>(
  {},
  { structuredAuthentication: kubeAPIServer.structuredAuthentication },
  { structuredAuthorization: kubeAPIServer.structuredAuthorization },
  {
    structuredAuthentication: kubeAPIServer.structuredAuthentication,
    structuredAuthorization: kubeAPIServer.structuredAuthorization,
  },
  {
    oidcConfig: {
      clientID: oidcConfig?.clientID,
      issuerURL: oidcConfig?.issuerURL,
      requiredClaims: { a: 'b', 'c d': 'e' },
    },
  },
)

const ofVersion = fc.constantFrom('1.32.0', '1.33', '1.34.3', 'v1.35.1', '1.36.3')

const server = fc
  .tuple(someOf(kubeAPIServer), structured, objectName, fc.array(odd, { maxLength: 3 }))
  .map(([{ structuredAuthentication: _, structuredAuthorization: __, ...fields }, config, name, audiences]) => ({
    ...fields,
    ...config,
    ...(fields.auditWebhook && { auditWebhook: { ...fields.auditWebhook, kubeconfigSecretName: name } }),
    ...(fields.sni && { sni: { ...fields.sni, secretName: name } }),
    ...(fields.apiAudiences && { apiAudiences: [...new Set(audiences)] }),
  }))

const settings = fc.record(
  {
    loadBalancerServices: fc.record(
      {
        annotations: fc.dictionary(fc.constantFrom('a', 'example.com/b', `${'b'.repeat(253)}/${'c'.repeat(63)}`), odd),
        externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
      },
      { requiredKeys: [] },
    ),
    verticalPodAutoscaler: someOf({
      enabled: false,
      featureGates: { InPlaceOrRecreate: true },
      maxAllowed: { cpu: 8, memory: '30Gi' },
    }),
    topologyAwareRouting: fc.constant({ enabled: true }),
  },
  { requiredKeys: [] },
)

const runtimeCluster = fc.record({
  ingress: fc.record({
    domains,
    controller: fc.record(
      {
        kind: fc.constant('nginx'),
        providerConfig: fc.dictionary(
          fc.constantFrom('hsts', 'custom-http-errors', 'use-gzip'),
          fc.oneof(odd, fc.boolean(), fc.integer(), fc.constant({ a: [1] })),
        ),
      },
      { requiredKeys: ['kind'] },
    ),
  }),
  networking: runtimeNetworks,
  provider: fc.record(
    { zones: fc.constantFrom(['a'], ['a', 'b', 'c'], [label, 'europe-west1-b']) },
    { requiredKeys: [] },
  ),
  settings,
})

const phase = fc.constantFrom('', 'Preparing', 'Prepared', 'Completing', 'Completed')
const rotated = phase.map(phase => (phase === '' ? undefined : { phase, lastInitiationTime: '2026-01-01T00:00:00Z' }))

const rotation = fc
  .record({
    certificateAuthorities: rotated,
    serviceAccountKey: rotated,
    etcdEncryptionKey: rotated,
    workloadIdentityKey: rotated,
  })
  .map(given => Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)))

const virtualCluster = fc.record(
  {
    controlPlane: fc.constantFrom({}, { highAvailability: {} }),
    dns: fc.record({ domains }),
    etcd: fc.record(
      { main: someOf(full.virtualCluster.etcd?.main ?? {}), events: someOf(full.virtualCluster.etcd?.events ?? {}) },
      { requiredKeys: [] },
    ),
    kubernetes: fc.record(
      { version: ofVersion, kubeAPIServer: server, kubeControllerManager: someOf(kubeControllerManager) },
      { requiredKeys: ['version'] },
    ),
    gardener: fc
      .record(
        {
          gardenerAPIServer: someOf(gardener.gardenerAPIServer ?? {}),
          gardenerAdmissionController: someOf(gardener.gardenerAdmissionController ?? {}),
          gardenerControllerManager: someOf(gardener.gardenerControllerManager ?? {}),
          gardenerScheduler: someOf(gardener.gardenerScheduler ?? {}),
          gardenerDiscoveryServer: someOf(gardener.gardenerDiscoveryServer ?? {}),
          gardenerResourceManager: someOf(gardener.gardenerResourceManager ?? {}),
        },
        { requiredKeys: [] },
      )
      .map(given => ({ ...given, clusterIdentity: 'garden-example' })),
    maintenance: fc.constant(full.virtualCluster.maintenance),
    networking: networks,
  },
  { requiredKeys: ['dns', 'kubernetes', 'gardener', 'maintenance', 'networking'] },
)

/** As it is written, and how far its rotations are. */
export const anyGarden: fc.Arbitrary<Garden> = fc
  .record({ name: objectName, uid: fc.uuid(), spec: fc.record({ runtimeCluster, virtualCluster }), rotation })
  .map(({ name, uid, spec, rotation }) =>
    withoutForbidden({
      ...garden(),
      metadata: { name, uid, generation: 1 },
      spec: spec as unknown as Garden['spec'],
      status: { credentials: { rotation } } as Garden['status'],
    }),
  )

/** Fields that cannot stand beside others, or in that version. */
const withoutForbidden = (made: Garden): Garden => {
  const { runtimeCluster, virtualCluster } = made.spec
  const isSpread = (runtimeCluster.provider.zones ?? []).length > 1 && virtualCluster.controlPlane?.highAvailability
  const isNew = /1\.3[56]/.test(virtualCluster.kubernetes.version)
  const server = 'spec.virtualCluster.kubernetes.kubeAPIServer'
  const forbidden = [
    ...(isSpread ? [] : ['spec.runtimeCluster.settings.topologyAwareRouting']),
    ...(isNew ? [`${server}.enableAnonymousAuthentication`, `${server}.watchCacheSizes.default`] : []),
  ]
  return forbidden.filter(path => valueAt(made, path) !== undefined).reduce<Garden>(without, made)
}

const configuration = 'authorizers:\n- { type: Webhook, name: webhook, webhook: { timeout: 3s } }\n'

/** All that it refers to, with every key that anybody reads. */
export const referredTo = (subject: Garden): KubeObject[] =>
  gardenReferences(subject).map(({ kind, name }) =>
    kind === 'Secret'
      ? mountedSecret(name, { kubeconfig: 'kind: Config\n', 'tls.crt': 'certificate', 'tls.key': 'key' })
      : mountedConfigMap(name, {
          policy: '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: None }] }',
          'config.yaml': configuration,
        }),
  )
