// kube-apiserver and kube-controller-manager of the virtual garden: golden for a Garden that says nothing, and for each field alone
// what it changes.

import t from 'tap'
import { parse } from 'yaml'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { apiserver, apiserverFaults } from '../../../functions/garden-reconcile/desired/apiserver/apiserver.ts'
import type { KubeApiServerFields } from '../../../functions/garden-reconcile/desired/apiserver/kube-apiserver.ts'
import { discoveryServerFaults } from '../../../functions/garden-reconcile/desired/control-plane/discovery-server.ts'
import { controllerManager } from '../../../functions/garden-reconcile/desired/controller-manager.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { asApplied } from '../../harness/garden/simulated-garden.ts'
import { goldenIn } from '../../harness/golden.ts'
import { matches } from '../../harness/matches.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'
import { authorizers, webhookKubeconfig } from '../../make/garden/server-contents.ts'
import { serverFieldCases } from '../../make/garden/server-field-cases.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'
import { differences, podOf } from '../../make/objects/pod-differences.ts'
import { serverCertificate } from '../../make/server-certificate.ts'

const golden = goldenIn(import.meta.dirname)

type Virtual = Change<Garden['spec']['virtualCluster']>

const worldOf = (virtualCluster: Virtual = {}): World =>
  withRuntime(worldWithSecrets({ garden: garden({ spec: { virtualCluster } }) }), ...referred)

const referred = [
  mountedSecret('webhook', { kubeconfig: 'kind: Config\n' }),
  mountedSecret('sound', { kubeconfig: webhookKubeconfig }),
  mountedConfigMap('authorizers', { 'config.yaml': authorizers('extra') }),
  mountedSecret('certificate', { 'tls.crt': 'certificate', 'tls.key': 'key' }),
  mountedConfigMap('policy', { policy: 'kind: Policy\n' }),
  mountedConfigMap('authentication', {
    'config.yaml': 'kind: AuthenticationConfiguration\nanonymous: { enabled: true }\n',
  }),
  mountedConfigMap('authorization', {
    'config.yaml':
      'authorizers:\n- { type: RBAC, name: mine }\n- { type: Webhook, name: Extra, webhook: { timeout: 3s, connectionInfo: { type: InClusterConfig } } }\n',
  }),
]

const withServer = (kubeAPIServer: KubeApiServerFields): World => worldOf({ kubernetes: { kubeAPIServer } } as Virtual)

t.test('GA-70 the API server of a Garden that says nothing, golden, and with high availability', async t => {
  t.strictSame(apiserver(worldOf()), golden('apiserver'))
  const replicas = (world: World) =>
    apiserver(world).flatMap(({ spec }) => {
      const { replicas, minReplicas } = (spec ?? {}) as { replicas?: number; minReplicas?: number }
      return replicas ?? minReplicas ?? []
    })
  t.strictSame(replicas(worldOf()), [2, 2])
  t.strictSame(replicas(worldOf({ controlPlane: { highAvailability: {} } })), [3, 3])
})

t.test('GA-74 GA-76 each field of the API server changes its flags and files alone, golden', async t => {
  const told = serverFieldCases.map(fields => ({
    fields,
    ...differences(apiserver(worldOf()), apiserver(withServer(fields))),
  }))
  t.strictSame(told, golden('apiserver-fields'))
})

t.test('GA-75 what the Garden refers to and is not there, or lacks its key, is a fault', async t => {
  t.strictSame(apiserverFaults(worldOf()), [])
  const faults = (fields: KubeApiServerFields, ...objects: readonly KubeObject[]) =>
    apiserverFaults(withRuntime(withServer(fields), ...objects))
  const empty = [mountedSecret('empty', {}), mountedConfigMap('empty', {})]
  const rows: [string, string, (name: string) => KubeApiServerFields][] = [
    ['Secret', 'kubeconfig', kubeconfigSecretName => ({ auditWebhook: { kubeconfigSecretName } })],
    ['Secret', 'kubeconfig', kubeconfigSecretName => ({ authentication: { webhook: { kubeconfigSecretName } } })],
    [
      ...(['Secret', 'kubeconfig'] as const),
      kubeconfigSecretName => ({ admissionPlugins: [{ name: 'ImagePolicyWebhook', kubeconfigSecretName }] }),
    ],
    ['ConfigMap', 'policy', name => ({ auditConfig: { auditPolicy: { configMapRef: { name } } } })],
    ['ConfigMap', 'config.yaml', configMapName => ({ structuredAuthentication: { configMapName } })],
    [
      ...(['ConfigMap', 'config.yaml'] as const),
      configMapName => ({ structuredAuthorization: { configMapName, kubeconfigs: [] } }),
    ],
    [
      ...(['Secret', 'kubeconfig'] as const),
      secretName => ({
        structuredAuthorization: {
          configMapName: 'authorizers',
          kubeconfigs: [{ authorizerName: 'extra', secretName }],
        },
      }),
    ],
  ]
  for (const [kind, key, fields] of rows) {
    t.strictSame(faults(fields('lost')), [`${kind} garden/lost: does not exist, but its key ${key} is needed`])
    t.strictSame(faults(fields('empty'), ...empty), [`${kind} garden/empty: has no key ${key}`])
  }
  t.strictSame(faults({ sni: { secretName: 'empty' } }, ...empty), [
    'Secret garden/empty: has no key tls.crt',
    'Secret garden/empty: has no key tls.key',
  ])
  matches(t, faults({ sni: {} }), [/gardener.cloud\/role=garden-cert/])
})

t.test('GA-360 a certificate with which no server starts is a fault of its Secret', async t => {
  const [one, other] = [await serverCertificate(), await serverCertificate()]
  const fault = 'Secret garden/mine: tls.crt contains no certificate, or tls.key does not belong to the certificate'
  const rows: [texts: Record<string, string>, faults: string[]][] = [
    [one, []],
    [{ ...one, 'tls.crt': `${one['tls.crt']}${other['tls.crt']}` }, []],
    [{ ...one, 'tls.key': other['tls.key'] }, [fault]],
    [{ ...one, 'tls.key': 'k' }, [fault]],
    [{ ...one, 'tls.crt': one['tls.crt'].replace('-----BEGIN CERTIFICATE-----\n', '$&AAAA') }, [fault]],
    [{ 'tls.crt': one['tls.crt'] }, ['Secret garden/mine: has no key tls.key']],
  ]
  const discovery = garden({
    spec: { virtualCluster: { gardener: { gardenerDiscoveryServer: { tlsSecretName: 'mine' } } } },
  } as never)
  for (const [texts, faults] of rows) {
    const secret = mountedSecret('mine', texts)
    t.strictSame(apiserverFaults(withRuntime(withServer({ sni: { secretName: 'mine' } }), secret)), faults)
    t.strictSame(discoveryServerFaults(withRuntime(worldWithSecrets({ garden: discovery }), secret)), faults)
  }
})

t.test('GA-301 GA-337 each webhook that decides has a name of its own and a kubeconfig of that name', async t => {
  const kubeconfigs = ['one', 'rbac', 'seed-authorizer'].map(authorizerName => ({
    authorizerName,
    secretName: 'sound',
  }))
  const fields: KubeApiServerFields = { structuredAuthorization: { configMapName: 'mine', kubeconfigs } }
  const faults = (...names: string[]) =>
    apiserverFaults(withRuntime(withServer(fields), mountedConfigMap('mine', { 'config.yaml': authorizers(...names) })))
  const place = 'ConfigMap garden/mine, key config.yaml:'
  t.strictSame(faults('one'), [])
  t.strictSame(faults('one', 'two'), [
    `${place} provided invalid authorization configuration: must provide kubeconfig secret name reference for webhook authorizer "two" in garden garden`,
  ])
  const twice = (at: number, name: string) =>
    `${place} provided invalid authorization configuration: [[].authorizers[${at}].name: Duplicate value: "${name}"]`
  t.strictSame(faults('one', 'one'), [twice(1, 'one')])
  t.strictSame(faults('{ toString: x }'), [
    `${place} failed to decode the provided authorization configuration: authorizers[0].name: must be of type string`,
  ])
  for (const name of ['rbac', 'seed-authorizer']) t.strictSame(faults(name), [twice(0, name)])
})

t.test(
  'GA-337 content with which the API server would not start is a fault, and names object, key and place',
  async t => {
    const mine = { structuredAuthentication: { configMapName: 'mine' } }
    const faults = (fields: KubeApiServerFields, object: KubeObject) =>
      apiserverFaults(withRuntime(withServer(fields), object))
    for (const text of ['- a', 'a: [', '{', 'plain'])
      matches(t, faults(mine, mountedConfigMap('mine', { 'config.yaml': text })), [
        /^ConfigMap garden\/mine, key config.yaml: failed to decode the provided authentication configuration: /,
      ])
    const none = mountedConfigMap('mine', {
      policy: '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Foo }] }',
    })
    t.strictSame(faults({ auditConfig: { auditPolicy: { configMapRef: { name: 'mine' } } } }, none), [
      'ConfigMap garden/mine, key policy: provided invalid audit policy: [rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"]',
    ])
    t.strictSame(
      faults({ auditWebhook: { kubeconfigSecretName: 'mine' } }, mountedSecret('mine', { kubeconfig: 'a: b' })),
      [
        'Secret garden/mine, key kubeconfig: secret contains invalid kubeconfig: context was not found for specified context: ',
      ],
    )
    t.strictSame(faults({ auditWebhook: { kubeconfigSecretName: 'sound' } }, none), [])
    const audited = { gardenerAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name: 'mine' } } } } }
    t.strictSame(
      apiserverFaults(withRuntime(worldOf({ gardener: audited } as Virtual), none)),
      [],
      'of the other server',
    )
  },
)

t.test('GA-74 the default issuer stands once, also when it is accepted besides', async t => {
  const issuers = (serviceAccountConfig: KubeApiServerFields['serviceAccountConfig']) =>
    podOf(apiserver(withServer({ serviceAccountConfig })))
      .args.filter(arg => arg.startsWith('--service-account-issuer='))
      .map(arg => arg.split('=')[1])
  const own = 'https://api.virtual.garden.example.com'
  t.strictSame(issuers({ acceptedIssuers: ['https://a.example.com', own] }), [own, 'https://a.example.com'])
  t.strictSame(issuers({ issuer: 'https://a.example.com', acceptedIssuers: [own] }), ['https://a.example.com', own])
})

const lost = { auditWebhook: { kubeconfigSecretName: 'lost' } } as const
const lostText = 'Secret garden/lost: does not exist, but its key kubeconfig is needed'
const now = new Date('2026-03-01T12:00:00Z')

t.test('nobody stands in for the seed authorizer', async t => {
  const kubeconfigs = [{ authorizerName: 'Seed-Authorizer', secretName: 'other' }]
  const world = withRuntime(
    withServer({ structuredAuthorization: { configMapName: 'authorizers', kubeconfigs } }),
    mountedSecret('other', { kubeconfig: 'other' }),
  )
  const isConfig = ({ metadata }: KubeObject) => metadata.name.startsWith('kube-apiserver-authorization-config-')
  const [config] = apiserver(world).filter(isConfig)
  t.ok(
    config && secretText(config, 'seed-authorizer-kubeconfig.yaml').includes('https://gardener-admission-controller/'),
  )
})

t.test('GA-355 fields of an authorizer that come with Kubernetes 1.34 are left out before', async t => {
  const webhook = { timeout: '3s', cacheAuthorizedRequests: true, cacheUnauthorizedRequests: false }
  const config = JSON.stringify({ authorizers: [{ type: 'Webhook', name: 'mine', webhook }] })
  const kubeAPIServer = { structuredAuthorization: { configMapName: 'cached', kubeconfigs: [] } }
  const written = (version: string) => {
    const world = worldOf({ kubernetes: { version, kubeAPIServer } } as Virtual)
    const objects = apiserver(withRuntime(world, mountedConfigMap('cached', { 'config.yaml': config })))
    const made = objects.find(({ metadata }) => metadata.name.startsWith('kube-apiserver-authorization-config-'))
    return made && mapsIn(mapOrEmpty(parse(secretText(made, 'config.yaml'))).authorizers)[2]?.webhook
  }
  const connectionInfo = {
    type: 'KubeConfigFile',
    kubeConfigFile: '/etc/kubernetes/structured/authorization/mine-kubeconfig.yaml',
  }
  t.strictSame(written('1.33.9'), { timeout: '3s', connectionInfo })
  t.strictSame(written('1.34.0'), { ...webhook, connectionInfo })
})

t.test('GA-75 a Garden that refers to what is not there says so, and its API server stays as it is', async t => {
  const row = steps.flatMap(one => (one.name === 'apiserver' ? { ...one, needs: [], secrets: () => [] } : []))
  const world = withServer(lost as unknown as KubeApiServerFields)
  const live = apiserver(worldOf()).map(asApplied)
  const { writes, faults } = flowOf(row, withRuntime(world, ...live), now)
  t.strictSame({ writes, faults }, { writes: [], faults: [lostText] })
  t.not(
    flowOf(row, withRuntime(withServer({ eventTTL: '2h' }), ...live), now).writes.length,
    0,
    'a sound one changes it',
  )
  const flow = { writes, faults, waits: [], ready: 0, percent: 0 }
  const quiet = { steps: [], status: {}, events: [], next: { is: 'settled' as const } }
  const processing = {
    type: 'Reconcile',
    state: 'Processing',
    progress: 0,
    description: '',
    lastUpdateTime: now.toISOString(),
  }
  const running = { ...world, garden: { ...world.garden, status: { lastOperation: processing } } as World['garden'] }
  matches(t, report(running, { ...quiet, flow }, [], now).status, {
    lastOperation: { state: 'Error', description: `${lostText} Operation will be retried.` },
  })
})

t.test('GA-75 what the Garden refers to does not hold up its deletion', async t => {
  const operation = {
    type: 'Delete',
    state: 'Processing',
    progress: 0,
    description: '',
    lastUpdateTime: now.toISOString(),
  }
  const deleted = garden({
    spec: { virtualCluster: { kubernetes: { kubeAPIServer: lost } } },
    status: { lastOperation: operation },
    metadata: { deletionTimestamp: now.toISOString(), finalizers: ['gardener.cloud/operator'] },
  } as never)
  const left = withRuntime(worldWithSecrets({ garden: deleted }), ...apiserver(worldOf()))
  const plan = decide(left, now)
  t.strictSame(plan.flow?.faults, [])
  t.ok(plan.steps.some(step => step.do === 'delete' && step.target.metadata.name === 'virtual-garden-kube-apiserver'))
})

t.test('the certificate for further names is the one that a label tells', async t => {
  const labelled = mountedSecret('landscape', await serverCertificate())
  labelled.metadata.labels = { 'gardener.cloud/role': 'garden-cert' }
  const world = withRuntime(withServer({ sni: { domainPatterns: ['*.example.com'] } }), labelled)
  t.strictSame(apiserverFaults(world), [])
  t.strictSame(differences(apiserver(worldOf()), apiserver(world)).files, {
    '/srv/kubernetes/tls-sni/0': 'Secret landscape',
  })
})

const deployment = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'garden' },
})

t.test('GA-77 replicas are left to whoever scales the API server', async t => {
  const live = (replicas: number, manager: string, subresource?: string): KubeObject => ({
    ...deployment('virtual-garden-kube-apiserver'),
    metadata: {
      name: 'virtual-garden-kube-apiserver',
      namespace: 'garden',
      managedFields: [{ manager, ...(subresource && { subresource }), fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
    },
    spec: { replicas },
  })
  const applied = (...objects: readonly KubeObject[]) => {
    const made = apiserver(withRuntime(worldOf(), ...objects)).find(({ kind }) => kind === 'Deployment')
    return valueAt(made?.spec, 'replicas')
  }
  t.equal(applied(), 2)
  t.equal(applied(live(5, 'kube-controller-manager', 'scale')), undefined)
  t.equal(applied(live(2, 'garden-reconcile')), 2)
  t.equal(applied(live(4, 'garden-reconcile')), 4)
})

t.test(
  'GA-80 the first API server already asks the seed authorizer, and nothing changes when its servers come',
  async t => {
    const servers = [deployment('gardener-apiserver'), deployment('gardener-admission-controller')]
    t.strictSame(differences(apiserver(worldOf()), apiserver(withRuntime(worldOf(), ...servers))), {})
    const authorization = ([path]: [string, string]) => path.includes('/authorization/')
    const files = (world: World) =>
      Object.fromEntries(Object.entries(podOf(apiserver(world)).files).filter(authorization))
    t.strictSame(files(worldOf()), golden('seed-authorizer')[0])
    const structured = { structuredAuthorization: { configMapName: 'authorization', kubeconfigs: [] } }
    t.strictSame(files(withServer(structured)), golden('seed-authorizer')[1])
    const { args } = podOf(apiserver(worldOf()))
    t.ok(args.includes('--authorization-config=/etc/kubernetes/structured/authorization/config.yaml'))
  },
)

t.test('GA-170 the controller manager, golden, and each of its fields alone', async t => {
  const withFields = (kubeControllerManager: object) =>
    controllerManager(worldOf({ kubernetes: { kubeControllerManager } } as Virtual))
  const plain = withFields({})
  t.strictSame(plain, golden('controller-manager'))
  const flags = (fields: object) => differences(plain, withFields(fields))
  t.strictSame(flags({ certificateSigningDuration: '12h' }), { flags: ['--cluster-signing-duration=12h'] })
  t.strictSame(flags({ featureGates: { B: false, A: true } }), { flags: ['--feature-gates=A=true,B=false'] })
  const idle = {
    horizontalPodAutoscaler: {},
    nodeCIDRMaskSize: 24,
    nodeMonitorGracePeriod: '2m',
    podEvictionTimeout: '2m',
  }
  t.strictSame(flags(idle), {})
  t.ok(
    podOf(plain).args.includes(
      '--controllers=namespace,serviceaccount,clusterrole-aggregation,garbagecollector,csrapproving,csrcleaner,csrsigning,bootstrapsigner,tokencleaner,resourcequota',
    ),
  )
})
