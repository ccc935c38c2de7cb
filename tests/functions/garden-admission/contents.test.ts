// Reviews of what a Garden names in namespace garden: ConfigMaps with configurations of API servers, Secrets with kubeconfigs.
import t from 'tap'
import { gardenAdmission } from '../../../functions/garden-admission/index.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { AdmissionVerdict } from '../../../shared/runtime/definition.ts'
import { matches } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { type Garden, gardenWith } from '../../make/garden/garden.ts'
import { auditPolicy, authentication, authorizers, webhookKubeconfig } from '../../make/garden/server-contents.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'
import { leaving, request, smallest } from './reviews.ts'
import { hostOf } from './webhooks.ts'

const server = 'spec.virtualCluster.kubernetes.kubeAPIServer'

/** A Garden that names an object of this name, in the field that the webhook looks at. */
const naming: Readonly<Record<string, (name: string) => Garden>> = {
  'audit-policies': name => changed(`${server}.auditConfig`, { auditPolicy: { configMapRef: { name } } }),
  'authentication-configuration': name => changed(`${server}.structuredAuthentication`, { configMapName: name }),
  'authorization-configuration': name =>
    changed(`${server}.structuredAuthorization`, {
      configMapName: name,
      kubeconfigs: [{ authorizerName: 'one', secretName: 'kubeconfig' }],
    }),
  'kubeconfig-secrets': name => changed(`${server}.auditWebhook`, { kubeconfigSecretName: name }),
}

const changed = (path: string, value: object): Garden => gardenWith({ [path]: value }, smallest()) as Garden

type Asked = { webhook: string; object: KubeObject; before?: KubeObject; stored?: readonly KubeObject[] }

const verdictOf = async ({ webhook, object, before, stored = [] }: Asked): Promise<AdmissionVerdict> => {
  const review = gardenAdmission.webhooks?.[webhook]?.review
  if (!review) throw new TypeError(`no webhook ${webhook}`)
  const reads = {
    get: async ({ kind, name }: ObjectRef) => stored.find(one => one.kind === kind && one.metadata.name === name),
    list: async () => stored.filter(({ kind }) => kind === 'Garden'),
  }
  const change = { object, oldObject: before ?? null, operation: before ? 'UPDATE' : 'CREATE' } as const
  return review(request(change), { reads } as unknown as Parameters<typeof review>[1])
}

/** `422 <message>`, or nothing if it is allowed. */
const refusalOf = async (asked: Asked): Promise<string | undefined> => {
  const verdict = await verdictOf(asked)
  return verdict.allowed ? undefined : `${verdict.code} ${verdict.message}`
}

type Row = {
  row: string
  webhook: string
  key: string
  purpose: string
  good: string
  better: string
  bad: string
  fault: string
}

const policyOf = (level: string) => `{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: ${level} }] }`

const rows: readonly Row[] = [
  {
    ...{ row: 'GA-324', webhook: 'audit-policies', key: 'policy', purpose: 'audit policy' },
    ...{ good: auditPolicy, better: policyOf('None'), bad: policyOf('Foo') },
    fault:
      'provided invalid audit policy: [rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"]',
  },
  {
    ...{ row: 'GA-333', webhook: 'authentication-configuration', key: 'config.yaml' },
    purpose: 'authentication configuration',
    ...{ good: authentication(), better: authentication('https://b'), bad: authentication('http://b') },
    fault:
      'provided invalid authentication configuration: [jwt[0].issuer.url: Invalid value: "http://b": URL scheme must be https]',
  },
  {
    ...{ row: 'GA-334', webhook: 'authorization-configuration', key: 'config.yaml' },
    purpose: 'authorization configuration',
    ...{ good: authorizers('one'), better: `${authorizers('one')}# better\n`, bad: authorizers('two') },
    fault:
      'provided invalid authorization configuration: must provide kubeconfig secret name reference for webhook authorizer "two" in garden garden',
  },
]

for (const { row, webhook, key, purpose, good, better, bad, fault } of rows) {
  const garden = naming[webhook]?.('mine') ?? smallest()
  const holding = (data: Record<string, string>) => mountedConfigMap('mine', data)
  const [sound, broken] = [holding({ [key]: good }), holding({ [key]: bad })]

  t.test(`${row} a Garden names a ConfigMap with which an API server would not start: refused`, async t => {
    t.equal(await refusalOf({ webhook, object: garden, stored: [sound] }), undefined)
    const refused = `422 validation failed for ConfigMap mine: ${fault}`
    t.equal(await refusalOf({ webhook, object: garden, stored: [broken] }), refused)
    t.equal(await refusalOf({ webhook, object: garden, before: smallest(), stored: [broken] }), refused)
    const other = naming[webhook]?.('other')
    t.equal(await refusalOf({ webhook, object: garden, before: other, stored: [broken] }), refused)
    const newer = gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.35.9' }, garden) as Garden
    t.equal(await refusalOf({ webhook, object: newer, before: garden, stored: [broken] }), refused)
  })

  t.test(
    `GA-332 ${webhook}: the ConfigMap that a Garden names is not there, lacks its key, or has it empty`,
    async t => {
      const refused = (...stored: KubeObject[]) => refusalOf({ webhook, object: garden, stored })
      t.equal(await refused(), '422 referenced ConfigMap garden/mine does not exist: configmaps "mine" not found')
      const place = '422 error getting ConfigMap garden/mine:'
      t.equal(await refused(holding({})), `${place} missing ${purpose} key in ${key} ConfigMap data`)
      t.equal(await refused(holding({ [key]: '' })), `${place} ${purpose} in ${key} key is empty`)
      const updated = (data: Record<string, string>) =>
        refusalOf({ webhook, object: holding(data), before: sound, stored: [garden] })
      const from = `422 error getting ${purpose} from ConfigMap garden/mine:`
      t.equal(await updated({}), `${from} missing ${purpose} key in ${key} ConfigMap data`)
      t.equal(await updated({ [key]: '' }), `${from} ${purpose} in ${key} key is empty`)
    },
  )

  t.test(`${row} a ConfigMap that a Garden names gets content with which an API server would not start`, async t => {
    const update = { webhook, object: broken, before: sound, stored: [garden] }
    t.equal(await refusalOf(update), `422 ${fault}`)
    t.equal(await refusalOf({ ...update, object: holding({ [key]: better }) }), undefined)
  })

  t.test(`GA-336 ${webhook}: what is no change of content, or of a ConfigMap of others, is not judged`, async t => {
    const update = { webhook, object: broken, before: sound, stored: [garden] }
    t.equal(await refusalOf({ ...update, stored: [] }), undefined, 'no Garden')
    t.equal(await refusalOf({ ...update, stored: [naming[webhook]?.('other') ?? garden] }), undefined, 'another name')
    const elsewhere = { ...broken, metadata: { ...broken.metadata, namespace: 'default' } }
    t.equal(await refusalOf({ ...update, object: elsewhere }), undefined, 'another namespace')
    t.equal(await refusalOf({ ...update, before: broken }), undefined, 'the content was so before')
    t.equal(await refusalOf({ ...update, stored: [{ ...garden, spec: {} }] }), undefined, 'a Garden of another shape')
    const named = { webhook, object: garden, before: garden, stored: [broken] }
    t.equal(await refusalOf(named), undefined, 'the Garden does not change')
    const wider = gardenWith({ [`${server}.requests.maxMutatingInflight`]: 7 }, garden) as Garden
    t.equal(await refusalOf({ ...named, object: wider }), undefined, 'the Garden changes elsewhere')
    const renamed = { ...named, before: smallest() }
    t.equal(await refusalOf({ ...renamed, object: leaving(wider) }), undefined, 'the Garden is in deletion')
    t.equal(await refusalOf({ webhook, object: broken, stored: [garden] }), undefined, 'a ConfigMap is made')
    t.equal(await refusalOf({ webhook, object: { ...garden, spec: {} } as Garden }), undefined, 'others refuse it')
    t.equal(await refusalOf({ webhook, object: smallest() }), undefined, 'the Garden names none')
  })
}

t.test('GA-333 GA-334 facts of the Garden with which a configuration no longer fits are judged', async t => {
  const own = gardenWith(
    { [`${server}.serviceAccountConfig`]: { issuer: 'https://issuer.example.com' } },
    naming['authentication-configuration']?.('mine') ?? smallest(),
  ) as Garden
  const config = mountedConfigMap('mine', { 'config.yaml': authentication() })
  const change = { webhook: 'authentication-configuration', stored: [config] }
  matches(
    t,
    await refusalOf({ ...change, object: own, before: naming['authentication-configuration']?.('mine') }),
    /URL must not overlap with disallowed issuers: \[https:\/\/issuer\.example\.com\]/,
  )
  const before = naming['authorization-configuration']?.('mine') ?? smallest()
  const kubeconfigs = [{ authorizerName: 'other', secretName: 'kubeconfig' }]
  const object = gardenWith({ [`${server}.structuredAuthorization`]: { configMapName: 'mine', kubeconfigs } }, before)
  const authorization = mountedConfigMap('mine', { 'config.yaml': authorizers('one') })
  matches(
    t,
    await refusalOf({ webhook: 'authorization-configuration', object, before, stored: [authorization] }),
    /must provide kubeconfig secret name reference for webhook authorizer "one" in garden garden$/,
  )
})

t.test('GA-324 the audit policy of gardener-apiserver is judged too', async t => {
  const audited = { auditPolicy: { configMapRef: { name: 'mine' } } }
  const object = changed('spec.virtualCluster.gardener.gardenerAPIServer', { auditConfig: audited })
  const stored = [mountedConfigMap('mine', { policy: policyOf('Foo') })]
  matches(
    t,
    await refusalOf({ webhook: 'audit-policies', object, stored }),
    /^422 validation failed for ConfigMap mine: /,
  )
})

t.test('GA-324 the group * is for kube-apiserver from Kubernetes 1.36 on, and for gardener-apiserver', async t => {
  const policy = '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: None, resources: [{ group: "*" }] }] }'
  const stored = [mountedConfigMap('mine', { policy })]
  const audited = { auditPolicy: { configMapRef: { name: 'mine' } } }
  const ofGardener = changed('spec.virtualCluster.gardener.gardenerAPIServer', { auditConfig: audited })
  const judged = (version: string, garden: Garden) => {
    const object = gardenWith({ 'spec.virtualCluster.kubernetes.version': version }, garden)
    return refusalOf({ webhook: 'audit-policies', object, stored })
  }
  const ofKubernetes = naming['audit-policies']?.('mine') ?? smallest()
  matches(t, await judged('1.35.9', ofKubernetes), /rules\[0\]\.resources\.group: Invalid value: "\*": /)
  t.equal(await judged('1.36.0', ofKubernetes), undefined)
  t.equal(await judged('1.35.9', ofGardener), undefined)
})

t.test('GA-335 a kubeconfig that the Garden names is not taken away, and is none that no API server takes', async t => {
  const webhook = 'kubeconfig-secrets'
  const secret = (data: Record<string, string>, name = 'mine') => mountedSecret(name, data)
  const asked = (object: KubeObject, stored = [naming[webhook]?.('mine') ?? smallest()]) =>
    refusalOf({ webhook, object, before: secret({ kubeconfig: webhookKubeconfig }), stored })
  const inUse =
    '403 Secret "mine" is forbidden: data kubeconfig can\'t be removed from secret or set to empty because secret is in use by gardens: [garden]'
  t.equal(await asked(secret({})), inUse)
  t.equal(await asked(secret({ kubeconfig: '' })), inUse)
  t.equal(await asked(secret({}, 'other')), undefined)
  t.equal(await asked(secret({}), []), undefined)
  t.equal(await asked(secret({ kubeconfig: webhookKubeconfig, other: 'a' })), undefined)
  t.equal(await asked(secret({ kubeconfig: webhookKubeconfig.replace('of-people', 'of-others') })), undefined)
  const files = webhookKubeconfig.replace('token: of-people', 'tokenFile: of-people')
  t.equal(
    await asked(secret({ kubeconfig: files })),
    '422 Secret "mine" is invalid: data.kubeconfig: Invalid value: "<omitted>": secret contains invalid kubeconfig: token files are not supported (user "webhook"), these are the valid fields: [client-certificate-data client-key-data token username password]',
  )
  const users = 'users: [{ name: u, user: { token: a } }]'
  matches(t, await asked(secret({ kubeconfig: users })), /^422 .*context was not found/)
  const plugin = { admissionPlugins: [{ name: 'ValidatingAdmissionWebhook', kubeconfigSecretName: 'mine' }] }
  t.equal(await asked(secret({ kubeconfig: users }), [changed(server, plugin)]), undefined)
  const off = { admissionPlugins: [{ name: 'ImagePolicyWebhook', kubeconfigSecretName: 'mine', disabled: true }] }
  t.equal(await asked(secret({}), [changed(server, off)]), undefined, 'of a plugin that is off')
})

t.test('GA-336 each webhook judges its kinds and no others', async t => {
  const cluster = new MemoryCluster()
  const host = hostOf(cluster)
  const sent = async (webhook: string, object: KubeObject) => {
    const [group = '', version = ''] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', 'v1']
    const kind = { group, version, kind: object.kind }
    const payload = {
      ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
      request: request({ operation: 'UPDATE', kind, object, oldObject: object }),
    }
    const answer = await host.webhooks.inject({ method: 'POST', url: `/webhooks/${webhook}`, payload })
    return answer.json().response as { allowed: boolean; status?: { message: string } }
  }
  for (const { webhook, key, good } of rows) {
    t.equal((await sent(webhook, mountedConfigMap('mine', { [key]: good }))).allowed, true)
    t.equal((await sent(webhook, smallest())).allowed, true)
    matches(t, (await sent(webhook, mountedSecret('mine', {}))).status?.message, /^expected .*, got v1, Kind=Secret$/)
  }
  t.equal((await sent('kubeconfig-secrets', mountedSecret('mine', {}))).allowed, true)
  matches(t, (await sent('kubeconfig-secrets', smallest())).status?.message, /^expected v1, Kind=Secret, got /)
})
