// kube-apiserver and kube-controller-manager of the virtual garden: golden for a Garden that says nothing, and for each field alone
// what it changes.
import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import {
  apiserver,
  apiserverFaults,
  seedAuthorizerWaits,
} from '../../../functions/garden-reconcile/desired/apiserver/apiserver.ts'
import type { KubeApiServerFields } from '../../../functions/garden-reconcile/desired/apiserver/kube-apiserver.ts'
import { controllerManager } from '../../../functions/garden-reconcile/desired/controller-manager/controller-manager.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { asApplied } from '../../harness/garden/simulated-garden.ts'
import { goldenIn } from '../../harness/golden.ts'
import { matches } from '../../harness/matches.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'
import { serverFieldCases } from '../../make/garden/server-field-cases.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'
import { differences, podOf } from '../../make/objects/pod-differences.ts'

const golden = goldenIn(import.meta.dirname)

type Virtual = Change<Garden['spec']['virtualCluster']>

const worldOf = (virtualCluster: Virtual = {}): World =>
  withRuntime(worldWithSecrets({ garden: garden({ spec: { virtualCluster } }) }), ...referred)

const referred = [
  mountedSecret('webhook', { kubeconfig: 'kind: Config\n' }),
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
          configMapName: 'authorization',
          kubeconfigs: [{ authorizerName: 'Extra', secretName }],
        },
      }),
    ],
  ]
  for (const [kind, key, fields] of rows) {
    t.strictSame(faults(fields('lost')), [`${kind} garden/lost: is not there, and its key ${key} is needed`])
    t.strictSame(faults(fields('empty'), ...empty), [`${kind} garden/empty: has no key ${key}`])
  }
  t.strictSame(faults({ sni: { secretName: 'empty' } }, ...empty), [
    'Secret garden/empty: has no key tls.crt',
    'Secret garden/empty: has no key tls.key',
  ])
  matches(t, faults({ sni: {} }), [/gardener.cloud\/role=garden-cert/])
})

t.test('GA-75 GA-301 each webhook that decides has a name of its own and a kubeconfig of that name', async t => {
  const faults = (...names: string[]) => {
    const authorizers = names.map(name => `- { type: Webhook, name: ${name} }`).join('\n')
    const fields: KubeApiServerFields = {
      structuredAuthorization: {
        configMapName: 'mine',
        kubeconfigs: [{ authorizerName: 'One', secretName: 'webhook' }],
      },
    }
    const config = mountedConfigMap('mine', {
      'config.yaml': `authorizers:\n- { type: Node, name: two }\n${authorizers}`,
    })
    return apiserverFaults(withRuntime(withServer(fields), config))
  }
  t.strictSame(faults('one'), [])
  t.strictSame(faults('one', 'two'), [
    'ConfigMap garden/mine: the authorizer two has no kubeconfig in structuredAuthorization.kubeconfigs',
  ])
  t.strictSame(faults('one', 'one'), ['ConfigMap garden/mine: the authorizer one is there twice'])
  t.equal(
    faults('{ toString: x }')[0],
    'ConfigMap garden/mine: the authorizer {"toString":"x"} has no kubeconfig in structuredAuthorization.kubeconfigs',
  )
  for (const name of ['rbac', 'seed-authorizer'])
    t.equal(faults(name)[0], `ConfigMap garden/mine: the authorizer ${name} is there twice`)
})

t.test('GA-75 a structured configuration that is no YAML map is told', async t => {
  for (const text of ['- a', 'a: [', '{', 'plain']) {
    const world = withRuntime(
      withServer({
        structuredAuthentication: { configMapName: 'mine' },
        structuredAuthorization: { configMapName: 'mine', kubeconfigs: [] },
      }),
      mountedConfigMap('mine', { 'config.yaml': text }),
    )
    const fault = 'ConfigMap garden/mine: its key config.yaml is no YAML map'
    t.strictSame(apiserverFaults(world), [fault, fault], text)
  }
})

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
const lostText = 'Secret garden/lost: is not there, and its key kubeconfig is needed'
const now = new Date('2026-03-01T12:00:00Z')

t.test('authorizers that nobody can read are a fault, and nobody stands in for the seed authorizer', async t => {
  const kubeconfigs = [{ authorizerName: 'Seed-Authorizer', secretName: 'other' }]
  const world = withServer({ structuredAuthorization: { configMapName: 'authorizers', kubeconfigs } })
  const others = [
    mountedSecret('other', { kubeconfig: 'other' }),
    ...['gardener-apiserver', 'gardener-admission-controller'].map(deployment),
  ]
  const given = (text: string) =>
    withRuntime(world, mountedConfigMap('authorizers', { 'config.yaml': text }), ...others)
  t.strictSame(apiserverFaults(given('authorizers: []')), [])
  const fault = 'ConfigMap garden/authorizers: its key config.yaml is no YAML map'
  for (const text of ['authorizers: [', '- a', 'a']) t.strictSame(apiserverFaults(given(text)), [fault])
  const isConfig = ({ metadata }: KubeObject) => metadata.name.startsWith('kube-apiserver-authorization-config-')
  const [config] = apiserver(given('authorizers: []')).filter(isConfig)
  t.ok(
    config && secretText(config, 'seed-authorizer-kubeconfig.yaml').includes('https://gardener-admission-controller/'),
  )
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
  const flow = { writes, faults, waits: [], stalls: [], ready: 0, percent: 0 }
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
  const labelled = mountedSecret('landscape', { 'tls.crt': 'c', 'tls.key': 'k' })
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

t.test('GA-80 the seed authorizer is asked once its servers are there', async t => {
  const servers = [deployment('gardener-apiserver'), deployment('gardener-admission-controller')]
  const complete = withRuntime(worldOf(), ...servers)
  const waits = ['Deployment garden/virtual-garden-kube-apiserver: has no seed authorizer yet']
  t.strictSame(seedAuthorizerWaits(worldOf()), waits)
  t.strictSame(differences(apiserver(worldOf()), apiserver(withRuntime(worldOf(), ...servers.slice(1)))), {})
  t.strictSame(differences(apiserver(worldOf()), apiserver(complete)), golden('seed-authorizer')[0])
  const structured = { structuredAuthorization: { configMapName: 'authorization', kubeconfigs: [] } }
  const both = withRuntime(withServer(structured), ...servers)
  t.strictSame(differences(apiserver(withServer(structured)), apiserver(both)), golden('seed-authorizer')[1])
  t.strictSame(seedAuthorizerWaits(complete), waits, 'it is not rolled out')
  const rolled = apiserver(complete).filter(({ kind }) => kind === 'Deployment')
  t.strictSame(seedAuthorizerWaits(withRuntime(complete, ...rolled)), [])
})

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

t.test('GA-324 an audit policy with which the API server would not start is a fault, and names the place', async t => {
  const fields: KubeApiServerFields = { auditConfig: { auditPolicy: { configMapRef: { name: 'strict' } } } }
  const faultsOf = (policy: string) =>
    apiserverFaults(withRuntime(withServer(fields), mountedConfigMap('strict', { policy })))
  const withRules = (rules: string) => `{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: ${rules} }`
  const rows: [policy: string, fault: string][] = [
    ['- a', 'is no YAML map'],
    ['a: [', 'is no YAML map'],
    ['kind: Policy', 'apiVersion and kind: are not audit.k8s.io/v1 and Policy'],
    ['{ apiVersion: audit.k8s.io/v1, kind: Event }', 'apiVersion and kind: are not audit.k8s.io/v1 and Policy'],
    ['{ apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [1] }', 'omitStages: is no list of texts'],
    [withRules('[]'), 'rules: is no list with at least one rule'],
    [withRules('[{ level: None }, a]'), 'rules[1]: is no map'],
    [
      withRules('[{ level: Foo }]'),
      'rules[0].level: "Foo" is none of "None", "Metadata", "Request", "RequestResponse"',
    ],
    [withRules('[{}]'), 'rules[0].level: "" is none of "None", "Metadata", "Request", "RequestResponse"'],
    [withRules('[{ level: None, users: a }]'), 'rules[0].users: is no list of texts'],
    [
      withRules('[{ level: None, nonResourceURLs: ["/a", "/a*b"] }]'),
      'rules[0].nonResourceURLs[1]: "/a*b" is none of "*" and paths with "*" at most at their end',
    ],
    [
      withRules('[{ level: None, omitStages: [Panic, Late] }]'),
      'rules[0].omitStages[1]: "Late" is none of "RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"',
    ],
    [withRules('[{ level: None, resources: a }]'), 'rules[0].resources: is no list'],
    [
      withRules('[{ level: None, resources: [{ group: apps/v1 }] }]'),
      'rules[0].resources[0].group: is no DNS subdomain',
    ],
    [
      withRules('[{ level: None, resources: [{ resourceNames: [a] }] }]'),
      'rules[0].resources[0].resourceNames: needs at least one item in resources',
    ],
    [
      withRules('[{ level: None, nonResourceURLs: ["*"], namespaces: [a] }]'),
      'rules[0].nonResourceURLs: stands beside resources or namespaces; make it a rule of its own',
    ],
    [
      withRules('[{ level: None, nonResourceURLs: ["*"], resources: [{}] }]'),
      'rules[0].nonResourceURLs: stands beside resources or namespaces; make it a rule of its own',
    ],
  ]
  for (const [policy, fault] of rows)
    t.strictSame(faultsOf(policy), [`ConfigMap garden/strict, key policy: ${fault}`], policy)
  const whole =
    '[{ level: Request, users: null, nonResourceURLs: ["*", /a*], omitStages: [Panic], more: 1 }, { level: None, resources: [{ resources: [a], resourceNames: [b] }, { group: apps }], namespaces: [""] }]'
  t.strictSame(faultsOf(withRules(whole)), [])
})
