// Who runs for the virtual garden beside its API server: golden.
import t from 'tap'
import { parse, stringify } from 'yaml'
import {
  observabilityManagedResources,
  virtualManagedResources,
} from '../../../functions/garden-care/rules/components.ts'
import { gardenerApiserverInVirtualGarden } from '../../../functions/garden-reconcile/desired/gardener-registration.ts'
import type { StepName } from '../../../functions/garden-reconcile/rules/flow.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import {
  bundleNow,
  secretNow,
  wantedSecret,
} from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import type { BundledName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { secretSteps } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import { tokenSecretSteps } from '../../../functions/garden-reconcile/rules/token-secrets.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../shared/core/objects/secret-text.ts'
import { goldenIn } from '../../harness/golden.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'

const golden = goldenIn(import.meta.dirname)
const images = [
  ...[
    'gardener-resource-manager',
    'gardener-admission-controller',
    'gardener-controller-manager',
    'gardener-scheduler',
  ],
  ...['kube-state-metrics', 'plutono', 'gardener-metrics-exporter'],
].map(name => ({ name, repository: `registry.example.com/${name}`, tag: 'v1' }))
const world = (given: Partial<World> = {}) => {
  const empty = worldWithSecrets(given)
  return { ...empty, settings: { ...empty.settings, images } }
}
const now = new Date('2026-03-01T12:00:00Z')
const madeBy = (name: StepName, given: Partial<World> = {}) =>
  steps.find(step => step.name === name)?.objects(world(given), now) ?? []
const asked = (given: Partial<World>) =>
  steps.find(({ name }) => name === 'virtual-resource-manager')?.secrets?.(world(given), now) ?? []

/** The resource manager of the virtual garden is to renew its token then. */
const tokenUntil = (time?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'shoot-access-gardener-resource-manager',
    namespace: 'garden',
    ...(time && { annotations: { 'serviceaccount.resources.gardener.cloud/token-renew-timestamp': time } }),
  },
})
const rights = (status: string, message = ''): KubeObject => ({
  apiVersion: 'resources.gardener.cloud/v1alpha1',
  kind: 'ManagedResource',
  metadata: { name: 'shoot-core-gardener-resource-manager', namespace: 'garden' },
  status: { conditions: [{ type: 'ResourcesApplied', status, message }] },
})
const running = (...objects: readonly KubeObject[]): Partial<World> => ({ runtime: Map.groupBy(objects, kindText) })

const managed: readonly StepName[] = ['virtual-resource-manager', 'access', 'gardener-control-plane', 'observability']

/** The contents of ManagedResources stand for their Secrets. */
const readable = (objects: readonly KubeObject[]): unknown[] =>
  objects.flatMap(object => {
    if (object.metadata.name.startsWith('managedresource-')) return []
    if (object.kind !== 'ManagedResource') return [object]
    const { secretRefs: _named, ...spec } = object.spec as { secretRefs: unknown }
    return [{ ...object, spec }, ...managedContents(objects, object.metadata.name)]
  })

for (const name of managed)
  t.test(`what the step ${name} makes`, async t => {
    t.strictSame(readable(madeBy(name, running(tokenUntil('2026-03-01T20:00:00Z'), rights('True')))), golden(name))
  })

t.test(
  'GA-84 GA-301 the resource manager shows a certificate until it has a token and its rights, and when they are lost',
  async t => {
    const token = tokenUntil('2026-03-01T20:00:00Z')
    const forbidden = 'forbidden: User "system:serviceaccount:kube-system:gardener-resource-manager" cannot list'
    const bootstrapping = madeBy('virtual-resource-manager').filter(({ kind }) => kind === 'Deployment')
    const rows: [string, boolean, KubeObject[]][] = [
      ['nothing is there', true, []],
      ['it has no token', true, [tokenUntil(), rights('True')]],
      ['its token has ended', true, [tokenUntil('2026-03-01T11:00:00Z'), rights('True')]],
      ['its token is about to be renewed', false, [tokenUntil('2026-03-01T11:59:00Z'), rights('True')]],
      ['its rights are not there', true, [token]],
      ['its rights are lost', true, [token, rights('False', forbidden)]],
      ['it is not known', true, [token, rights('False', 'the server said: Unauthorized')]],
      ['its rights are not applied for another reason', false, [token, rights('False', 'timeout')]],
      ['nobody can read why', false, [token, rights('False', { toString: 'x' } as unknown as string)]],
      ['its rights are not applied for the first time', true, [token, rights('Progressing'), ...bootstrapping]],
      ['its rights have been applied', false, [token, rights('True'), ...bootstrapping]],
    ]
    for (const [name, isNeeded, objects] of rows) {
      const given = running(...objects)
      t.equal(asked(given).includes('gardener-resource-manager-bootstrap'), isNeeded, name)
      t.strictSame(kubeconfigSources(given), isNeeded ? certificateSources : tokenSources, name)
    }
    const made = madeBy('virtual-resource-manager')
    const config = made.find(({ metadata }) =>
      metadata.name.startsWith('gardener-resource-manager-bootstrap-kubeconfig'),
    )
    const { clusters, users } = kubeconfigIn(config)
    t.equal(clusters[0].cluster.server, 'https://virtual-garden-kube-apiserver')
    t.equal(clusters[0].cluster['certificate-authority-data'], ca('ca'))
    const shown = secretNow(world(), 'gardener-resource-manager-bootstrap')
    const [certificate, key] = ['tls.crt', 'tls.key'].map(file => encodedText(secretText(shown, file)))
    const user = { 'client-certificate-data': certificate, 'client-key-data': key }
    t.strictSame(users, [{ name: 'garden', user }], 'inline: it takes no files of certificates and keys')
  },
)

t.test('GA-84 the certificate is of a group that may do everything, for ten minutes', async t => {
  const start = withRuntime(gardenWorld(), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: wantedSecret(gardenWorld(), 'ca-client')?.name ?? '', namespace: 'garden' },
  })
  const [step] = secretSteps(start, ['gardener-resource-manager-bootstrap'], now)
  const { recipe } = step as Extract<Step, { do: 'createSecret' }>
  const { make, organization, uses, notAfter } = recipe as Extract<typeof recipe, { make: 'certificate' }>
  t.strictSame({ make, organization, uses }, { make: 'certificate', organization: 'system:masters', uses: ['client'] })
  t.equal(notAfter.getTime() - now.getTime(), 600_000)
})

type Source = { readonly secret: { readonly name: string; readonly items: readonly { readonly key: string }[] } }
type Pod = {
  readonly volumes: readonly { readonly name: string; readonly projected?: { readonly sources: readonly Source[] } }[]
}
const podOf = (objects: readonly KubeObject[]): Pod | undefined =>
  objects.flatMap(({ kind, spec }) => (kind === 'Deployment' ? (valueAt(spec, 'template', 'spec') as Pod) : []))[0]

/** The Secrets that are mounted as kubeconfig, without the digests of their names, and their keys. */
const kubeconfigSources = (given: Partial<World>) => {
  const volumes = podOf(madeBy('virtual-resource-manager', given))?.volumes ?? []
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? [])
  return sources.map(({ secret }) => [secret.name.replace(/-[0-9a-f]{8}$/, ''), ...secret.items.map(({ key }) => key)])
}
const certificateSources = [['gardener-resource-manager-bootstrap-kubeconfig', 'kubeconfig']]
const tokenSources = [
  ['generic-token-kubeconfig', 'kubeconfig'],
  ['shoot-access-gardener-resource-manager', 'token'],
]

const secretMade = (name: string, given: Partial<World> = {}) =>
  madeBy('access', given).find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)
const kubeconfigIn = (secret?: KubeObject) => {
  const { data = {} } = (secret ?? {}) as { data?: Record<string, string> }
  return parse(Buffer.from(data.kubeconfig ?? '', 'base64').toString())
}
const withLive = (text: string): Partial<World> => {
  const metadata = { name: 'gardener', namespace: 'garden' }
  const live = { apiVersion: 'v1', kind: 'Secret', metadata, data: { kubeconfig: encodedText(text) } }
  return { runtime: new Map([['v1 Secret', [live]]]) }
}

t.test('GA-162 the kubeconfig of operators, for twelve hours; an apply keeps the token', async t => {
  const secret = secretMade('gardener')
  const { clusters, users } = kubeconfigIn(secret)
  const cluster = { 'certificate-authority-data': ca('ca'), server: 'https://api.virtual.garden.example.com' }
  t.strictSame(clusters, [{ name: 'garden', cluster }])
  t.strictSame(users, [{ name: 'garden', user: { token: '' } }])
  const { annotations } = secret?.metadata ?? {}
  t.equal(annotations?.['serviceaccount.resources.gardener.cloud/token-expiration-duration'], '12h')
  const live = JSON.stringify({ clusters, users: [{ name: 'garden', user: { token: 'renewed' } }] })
  const again = secretMade('gardener', withLive(live)) as { data?: Record<string, string> } | undefined
  t.equal(again?.data?.kubeconfig, encodedText(live), 'to the letter, also as another program writes it')
})

const ca = (name: BundledName) => encodedText(secretText(bundleNow(world(), name), 'bundle.crt'))

t.test('GA-81 another CA bundle or server: the kubeconfig follows, with the token that was in it', async t => {
  const live = stringify({
    clusters: [
      { name: 'garden', cluster: { server: 'https://old', 'certificate-authority-data': encodedText('old') } },
    ],
    users: [{ name: 'garden', user: { token: 'renewed' } }],
  })
  const { clusters, users } = kubeconfigIn(secretMade('gardener', withLive(live)))
  t.equal(clusters[0].cluster['certificate-authority-data'], ca('ca'))
  t.equal(clusters[0].cluster.server, 'https://api.virtual.garden.example.com')
  t.strictSame(users, [{ name: 'garden', user: { token: 'renewed' } }])
})

/** Aliases of aliases: more than any memory holds. */
const bomb = Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1}, *a${n - 1}`}]`).join(
  '\n',
)

t.test('GA-81 what is no kubeconfig is replaced', async t => {
  for (const broken of ['{', '[]', 'a: 1', 'users: 3', 'a: *b', bomb, '['.repeat(10_000), '\u0000'])
    t.strictSame(kubeconfigIn(secretMade('gardener', withLive(broken))).users, [
      { name: 'garden', user: { token: '' } },
    ])
})

t.test(
  'GA-369 the resource manager of the virtual garden also applies in the namespaces that the Garden names',
  async t => {
    const namespacesIn = (gardenerResourceManager?: object) => {
      const given = { garden: garden({ spec: { virtualCluster: { gardener: { gardenerResourceManager } } } } as never) }
      const config = madeBy('virtual-resource-manager', given).find(({ kind }) => kind === 'ConfigMap')
      return parse(String(valueAt(config?.data, 'config.yaml'))).targetClientConnection.namespaces
    }
    const usual = ['garden', 'kube-system', 'gardener-system-shoot-issuer', 'gardener-system-public']
    for (const none of [undefined, {}, { additionalTargetNamespaces: [] }]) t.strictSame(namespacesIn(none), usual)
    t.strictSame(namespacesIn({ additionalTargetNamespaces: ['a', 'b'] }), [...usual, 'a', 'b'])
  },
)

t.test('what garden-care looks for is what these steps make', async t => {
  const made = ['virtual-system' as const, ...managed].flatMap(name => madeBy(name))
  const names = made.filter(({ kind }) => kind === 'ManagedResource').map(({ metadata }) => metadata.name)
  const others = /^(shoot-core-kube-controller-manager|gardener-apiserver-.*|vali|fluent-.*)$/
  const watched = [...virtualManagedResources, ...observabilityManagedResources(world())].map(({ name }) => name)
  t.strictSame(names.sort(), watched.filter(name => !others.test(name)).sort())
})

t.test('GA-363 each ManagedResource names the condition that counts it, as those of the Go operator do', async t => {
  const whole = withRuntime(worldWithSecrets(), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'gardener-apiserver', namespace: 'garden' },
    spec: { clusterIP: '10.2.0.7' },
  })
  const made = [...steps.flatMap(({ objects }) => objects(whole, now)), ...gardenerApiserverInVirtualGarden(whole)]
  const labels = Object.fromEntries(
    made.flatMap(({ kind, metadata: { name, labels } }) =>
      kind === 'ManagedResource' ? [[name, labels?.['care.gardener.cloud/condition-type']]] : [],
    ),
  )
  const unlabelled = ['garden-system', 'istio-system', 'virtual-garden-istio', 'vpa', 'etcd-druid', 'nginx-ingress']
  const each = (names: readonly string[], condition?: string) => names.map(name => [name, condition])
  const listed = (rows: readonly { name: string }[]) =>
    rows.map(({ name }) => name).filter(name => name !== 'fluent-operator')
  t.strictSame(
    labels,
    Object.fromEntries([
      ...each([...unlabelled, 'fluent-operator']),
      ...each(listed(virtualManagedResources), 'VirtualComponentsHealthy'),
      ...each(listed(observabilityManagedResources(whole)), 'ObservabilityComponentsHealthy'),
    ]),
  )
})

const withAddress = (clusterIP?: string) => {
  const metadata = { name: 'gardener-apiserver', namespace: 'garden' }
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP } }
  const made = gardenerApiserverInVirtualGarden(world({ runtime: new Map([['v1 Service', [service]]]) }))
  return managedContents(made, 'gardener-apiserver-virtual')
}

t.test('the virtual garden leads to the address that gardener-apiserver has in the runtime cluster', async t => {
  t.strictSame(withAddress(), [])
  t.strictSame(withAddress('10.2.0.7'), golden('gardener-apiserver-in-virtual-garden'))
  const slice = withAddress('10.2.0.8').find(({ kind }) => kind === 'EndpointSlice')
  t.strictSame(slice?.endpoints, [{ addresses: ['10.2.0.8'] }])
  t.notOk(withAddress('10.2.0.7').some(({ metadata }) => metadata.namespace === 'garden'))
})

t.test('GA-164 a Secret of namespace garden that asks for a token gets a class, unless it names one', async t => {
  const asking = (name: string, namespace: string, classes: Record<string, string> = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { 'resources.gardener.cloud/purpose': 'token-requestor', ...classes } },
  })
  const secrets = [
    asking('third-party', 'garden'),
    asking('ours', 'garden', { 'resources.gardener.cloud/class': 'shoot' }),
    asking('of-a-seed', 'garden', { 'resources.gardener.cloud/class': 'seed' }),
    asking('elsewhere', 'default'),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other', namespace: 'garden' } },
  ]
  const merge = { metadata: { labels: { 'resources.gardener.cloud/class': 'shoot' } } }
  t.strictSame(tokenSecretSteps(world({ runtime: new Map([['v1 Secret', secrets]]) })), [
    { do: 'patch', target: secrets[0], merge },
  ])
})

const whole = {
  ...worldWithSecrets(),
  settings: { ...world().settings, images: [...gardenWorld().settings.images, ...images] },
}
const everything = steps.flatMap(step => [...step.objects(whole, now)])
const resourcesOf = (where: 'runtime' | 'virtual') =>
  everything.filter(
    ({ kind, spec }) =>
      kind === 'ManagedResource' && ((spec as { class?: string }).class === 'seed') === (where === 'runtime'),
  )
const contentsOf = (where: 'runtime' | 'virtual') =>
  resourcesOf(where).flatMap(({ metadata }) => managedContents(everything, metadata.name))

t.test('nothing that somebody uses is collected as garbage: users that the collector asks refer to it', async t => {
  const inRuntime = [...everything, ...contentsOf('runtime')]
  const isAsked = ({ kind }: KubeObject) => ['Deployment', 'StatefulSet', 'ManagedResource'].includes(kind)
  const referred = inRuntime.filter(isAsked).flatMap(({ metadata: { namespace, annotations = {} } }) =>
    Object.entries(annotations)
      .filter(([key]) => key.startsWith('reference.resources.gardener.cloud/'))
      .map(([, name]) => `${namespace}/${name}`),
  )
  const collectable = inRuntime
    .filter(({ metadata }) => metadata.labels?.['resources.gardener.cloud/garbage-collectable-reference'] === 'true')
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  t.ok(collectable.length > 30, `${collectable.length} objects`)
  t.strictSame(
    collectable.filter(name => !referred.includes(name)),
    [],
  )
})

t.test('the resource manager of the virtual garden reads all namespaces in which it applies something', async t => {
  const config = everything.find(({ metadata }) =>
    /^virtual-garden-gardener-resource-manager-\w{8}$/.test(metadata.name),
  )
  const { targetClientConnection } = parse(String(valueAt(config?.data, 'config.yaml')))
  const used = contentsOf('virtual').flatMap(({ metadata }) => metadata.namespace ?? [])
  t.ok(used.length > 3, `${used.length} objects`)
  t.strictSame(
    used.filter(name => !targetClientConnection.namespaces.includes(name)),
    [],
  )
})

t.test('every priority that Pods have is made, that of what applies the others without it', async t => {
  const isPriority = ({ kind }: KubeObject) => kind === 'PriorityClass'
  const made = [...everything, ...contentsOf('runtime')].filter(isPriority).map(({ metadata }) => metadata.name)
  const asked = [...everything, ...contentsOf('runtime')].flatMap(object => {
    const name =
      valueAt(object.spec, 'template', 'spec', 'priorityClassName') ?? valueAt(object.spec, 'priorityClassName')
    return typeof name === 'string' ? name : []
  })
  t.strictSame([...new Set(asked)].sort(), made.sort())
  t.strictSame(
    everything.filter(isPriority).map(({ metadata }) => metadata.name),
    ['gardener-garden-system-critical'],
  )
})
