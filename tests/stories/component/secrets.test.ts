// A Component fed by Secrets, called through a host, while everything goes wrong that can go wrong on their text: nothing of it gets
// into the status, Events, the log, metrics or the answer to the caller.
import t from 'tap'
import { componentFunction as definition } from '../../../functions/component/index.ts'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { hostApps } from '../../../shared/http/app.ts'
import { sharedSecret } from '../../../shared/http/callers.ts'
import { hostContext } from '../../../shared/http/host-context.ts'
import { readiness } from '../../../shared/http/readiness.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../../shared/http/telemetry/metrics.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { rendererHere } from '../../../shared/main/own/renderer-here.ts'
import type { FunctionDefinition } from '../../../shared/runtime/definition.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { componentGround, placesWith } from '../../harness/component/component-ground.ts'
import { orchards } from '../../harness/component/orchards.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { client, namespace } = ground
const canary = 'c4n4ry'
const proof = 'the-secret-of-this-story-alone-xx'

const lines: string[] = []
const given = readLandscape('serverless.yml')
const landscape = { ...given, provider: { ...given.provider, namespace: 'default' } }
const metrics = hostMetrics()
const host = hostApps({
  functions: [definition as FunctionDefinition],
  landscape,
  context: hostContext(landscape, { clusters: clusters({ local: client }), renderer: rendererHere, ...placesWith({}) }),
  metrics,
  version: '0.0.0',
  checkToken: sharedSecret(proof),
  readiness: readiness({ client: async () => client, freshMilliseconds: 0 }),
  log: hostLog('debug', { write: line => void lines.push(line) }),
})
t.teardown(() => Promise.all([host.functions, host.webhooks, host.callbacks, host.probes].map(app => app.close())))

/** Called until it waits; what was answered last. */
const called = async (name: string): Promise<string> => {
  const { body } = await host.functions.inject({
    method: 'POST',
    url: '/functions/component',
    headers: { authorization: `Bearer ${proof}` },
    payload: { namespace, name },
  })
  return JSON.parse(body).requeueAfterSeconds === 0 ? called(name) : body
}

/** All that anybody may read who may read no Secrets. */
const everythingSaid = async (answer: string, name: string): Promise<string> => {
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace })
  const { body } = await host.functions.inject({ method: 'GET', url: '/metrics' })
  const { status } = (await ground.read(name)) ?? {}
  return [answer, JSON.stringify(status), JSON.stringify(events), lines.join(''), body].join('\n')
}

const secret = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: encodedTexts(data),
})

/** A service account that may read what its Components refer to, here and nowhere else. */
const mayRead = async (name: string): Promise<void> => {
  const metadata = { name, namespace }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const rules = [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get'] }]
  await ground.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await ground.put({ apiVersion, kind: 'Role', metadata, rules })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  await ground.put({ apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects })
}

const template = (text: string): ComponentSpec['source'] & { files: Record<string, string> } => ({
  helm: { configMapRef: { name: 'chart' } },
  files: { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n', templates__a: '', 'templates__a.yaml': text },
})

const manifest = (rest: string, metadata = 'name: made') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {${metadata}}\n${rest}\n`

type Case = {
  readonly template?: string
  /** The value `secret`. */
  readonly secret?: unknown
  readonly spec?: Partial<ComponentSpec>
  readonly says: RegExp
}

const leftOut = 'may quote a Secret and is left out'
const place = 'The chart cannot be rendered: shop/templates/a\\.yaml'
const image = 'registry.example/shop'

const cases: Readonly<Record<string, Case>> = {
  'the author': {
    template: '{{ fail .Values.secret }}',
    secret: canary,
    says: new RegExp(`^${place}, line 1: stops the rendering .function fail.; the message ${leftOut}$`),
  },
  'an anchor': {
    template: manifest('data: {a: {{ .Values.secret }}}'),
    secret: `*${canary}`,
    says: new RegExp(`^${place}, line 4: results in invalid YAML`),
  },
  'a schema': {
    template: '',
    secret: { [canary]: 1 },
    says: /does not allow these values: shop #\/properties\/secret\/additionalProperties;/,
  },
  'a name': {
    template: manifest('', 'name: {{ .Values.secret | quote }}'),
    secret: `${canary} $`,
    says: /^Manifest 1 has no valid name$/,
  },
  'a namespace': {
    template: manifest('', 'name: made, namespace: {{ .Values.secret | quote }}'),
    secret: `${canary}_`,
    says: /^Manifest 1 has no valid namespace$/,
  },
  'a kind': {
    template: 'apiVersion: v1\nkind: {{ .Values.secret }}\nmetadata: {name: made}\n',
    secret: canary,
    says: /^The manifest .*made: the cluster serves no such kind$/,
  },
  'a version': {
    template: 'apiVersion: {{ .Values.secret }}\nkind: A\nmetadata: {name: made}\n',
    secret: `${canary}/V1`,
    says: /^Manifest 1 has no valid apiVersion$/,
  },
  'an order': {
    template: manifest(
      '',
      'name: made, annotations: {component.core.espalier.dev/apply-order: {{ .Values.secret | quote }}}',
    ),
    secret: canary,
    says: /apply-order is not an integer from -32768 to 32767$/,
  },
  'a label': {
    template: manifest('', 'name: made, labels: {a: {{ .Values.secret | quote }}}'),
    secret: `${canary} !`,
    says: new RegExp(`made: the API server answered 422 Invalid for metadata\\.labels .*${leftOut}$`),
  },
  'a key of data': {
    template: manifest('data: {{ dict .Values.secret "x" | toJson }}'),
    secret: `${canary} !`,
    says: new RegExp(`answered 422 Invalid for data\\[…\\] .*${leftOut}$`),
  },
  'a number': {
    template: `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: made}\nspec: {replicas: {{ .Values.secret | quote }}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ${image}}]}}}\n`,
    secret: canary,
    says: new RegExp(`answered 4\\d\\d \\w+.*${leftOut}$`),
  },
  'a state': {
    template: manifest('', 'name: chart, resourceVersion: {{ .Values.secret | quote }}'),
    secret: canary,
    says: /^ConfigMap .*chart is rendered with a resourceVersion, but the live object has another resourceVersion$/,
  },
  'a hint': {
    template: manifest(
      '',
      'name: made, annotations: {component.core.espalier.dev/status-hint: {{ print "conditions=" .Values.secret | quote }}}',
    ),
    secret: canary,
    says: /^Waiting for: ConfigMap .*made: a condition that its status hint names is not True yet$/,
  },
  'two versions': {
    template: ['v1', '{{ .Values.secret }}'].reduce(
      (all, version) =>
        `${all}---\napiVersion: ${version}\nkind: ConfigMap\nmetadata: {name: made, namespace: ${namespace}}\n`,
      '',
    ),
    secret: canary,
    says: /^The manifest .*made: the cluster serves no such kind; ConfigMap .*made is rendered 2 times$/,
  },
  'the group of a definition': {
    template: `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: made}\nspec: {group: {{ .Values.secret | quote }}, names: {kind: Made, plural: mades}}\n`,
    secret: `${canary} $`,
    says: /^Manifest 1 has no valid group or kind in its spec$/,
  },
  'a list of Secrets': {
    template: `{{ range (lookup "v1" "Secret" "${namespace}" "").items }}{{ fail (.data.found | default "" | b64dec) }}{{ end }}`,
    says: new RegExp(`^${place}, line 1: stops`),
  },
  'a lookup': {
    template: `{{ fail (index (lookup "v1" "Secret" "${namespace}" "found").data "found" | b64dec) }}`,
    says: new RegExp(`^${place}, line 1: stops`),
  },
  'what is looked up': {
    template: '{{ lookup "v1" "ConfigMap" "default" .Values.secret }}',
    secret: canary,
    spec: { serviceAccountName: 'looker' },
    says: new RegExp(
      `^The API server answered 403 Forbidden: User "system:serviceaccount:${namespace}:looker" cannot get resource "configmaps" in API group ""; its message ${leftOut}$`,
    ),
  },
  'a pull Secret': {
    spec: { source: { helm: { oci: { repository: image, tag: '1', secretRef: { name: 'pull' } } } } },
    says: /contains no JSON object with auths/,
  },
  'a kubeconfig': {
    spec: { kubeConfig: { secretRef: { name: 'far' } } },
    template: '',
    says: /has an unknown field/,
  },
  'no kubeconfig': { spec: { kubeConfig: { secretRef: { name: 'broken' } } }, template: '', says: /is not valid YAML/ },
}

const schema = JSON.stringify({ properties: { secret: { additionalProperties: false } } })

t.test('RE-29 an error about the text of a Secret tells nothing of it', async t => {
  await ground.put(secret('found', { found: canary }))
  await ground.put(secret('pull', { '.dockerconfigjson': `{"auths": ${canary}` }))
  await ground.put(secret('far', { value: `apiVersion: v1\nkind: Config\n${canary}: 1\n` }))
  await ground.put(secret('broken', { value: `a: *${canary}\nb: [${canary}` }))
  await mayRead('looker')
  let index = 0
  for (const [what, { template: text, spec = {}, says, ...one }] of Object.entries(cases)) {
    const name = `case-${index++}`
    const { files, ...source } = template(text ?? '')
    await ground.put(configMap('chart', { ...files, ...(what === 'a schema' && { 'values.schema.json': schema }) }))
    await ground.put(secret('values', { 'values.yaml': JSON.stringify({ secret: one.secret }) }))
    const valuesFrom: ComponentSpec['valuesFrom'] = 'secret' in one ? [{ kind: 'Secret', name: 'values' }] : []
    await ground.create(name, { source, valuesFrom, ...spec })
    const answer = await called(name)
    const { conditions = [] } = (await ground.read(name))?.status ?? {}
    matches(t, conditions[0]?.message, says, what)
    lacks(t, await everythingSaid(answer, name), canary, `${what}: nothing is told`)
    await ground.remove(name)
    await called(name)
  }
  const said = await everythingSaid('', 'case-0')
  for (const part of ['UpdateError', '"level":"info"', 'controller_runtime_reconcile_total'])
    t.ok(said.includes(part), `${part} was looked through`)
})

t.test('RE-29 a deletion after the Secret is gone tells nothing of its text', async t => {
  const { files, ...source } = template(manifest('data: {a: {{ .Values.secret }}}'))
  await ground.put(configMap('chart', files))
  await ground.put(secret('values', { 'values.yaml': `secret: ${canary}` }))
  await ground.create('leaving', { source, valuesFrom: [{ kind: 'Secret', name: 'values' }] })
  await called('leaving')
  await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'values' }, {})
  await ground.remove('leaving')
  const denied = new ApiError({ code: 403, reason: 'Forbidden', message: `made must not hold ${canary}` })
  const guarded = altered(client, () => ({ delete: () => Promise.reject(denied) }))
  const { outcome } = await ground.settled('leaving', { clusters: clusters({ local: guarded }) })
  matches(t, outcome.reason, new RegExp(`made: the API server answered 403 Forbidden.*${leftOut}$`))
  lacks(t, await everythingSaid(JSON.stringify(outcome), 'leaving'), canary)
  await called('leaving')
})

t.test('RE-29 drift is told without what was rendered', async t => {
  const { files, ...source } = template(manifest('data: {{ dict .Values.secret "x" | toJson }}'))
  await ground.put(configMap('chart', files))
  await ground.put(secret('values', { 'values.yaml': `secret: ${canary}` }))
  await ground.create('drifting', { source, valuesFrom: [{ kind: 'Secret', name: 'values' }] })
  const answer = await called('drifting')
  await ground.put(configMap('made', { [canary]: 'changed' }))
  const later = async (name: string) => {
    const { outcome } = await ground.settled(name, { now: () => new Date(Date.now() + 60_000) })
    return JSON.stringify(outcome)
  }
  await later('drifting')
  const said = await everythingSaid(answer, 'drifting')
  t.ok(said.includes('Restored fields that differed from the rendered object'))
  lacks(t, said, canary)
})

t.test('RE-29 an error of a postRead hook is told without the text of the Secret that it read', async t => {
  const orchard = await orchards(t)
  const word = `${canary}-is-the-word`
  const data = { value: Buffer.from(word).toString('base64') }
  await orchard.client.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'early', namespace: orchard.namespace }, data },
    { fieldManager: 'person' },
  )
  const kind = orchard.define({
    options: { references: [{ path: 'spec.seed', kind: 'Secret', fallbackKeys: ['value'] }] },
    hooks: {
      postRead: [
        async ({ reference }) => {
          throw new Error(`cannot sow ${await reference('spec.seed')}`)
        },
      ],
    },
  })
  await orchard.plant('early', { seed: { name: 'early' } })
  const outcome = await orchard.settle(kind, 'early')
  const { ready } = await orchard.status('early')
  t.equal(ready.message, 'The message quotes a Secret and is left out')
  lacks(t, JSON.stringify([outcome, ready, await orchard.events('early')]), canary)
})

t.test('RE-29 an error of a generator or a dependent is told without the text of the Secret in it', async t => {
  const orchard = await orchards(t)
  const word = `${canary}-is-the-word`
  const data = { value: Buffer.from(`password: ${word}\n`).toString('base64') }
  await orchard.client.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'seed', namespace: orchard.namespace }, data },
    { fieldManager: 'person' },
  )
  let isBroken = true
  const kind = orchard.define({
    options: { references: [{ path: 'spec.seed', kind: 'Secret', fallbackKeys: ['value'] }] },
    generator: ({ reference }) => {
      if (isBroken) throw new Error(`cannot sow ${reference('spec.seed')}`)
      return [orchard.plantOf('sown')]
    },
  })
  await orchard.plant('field', { seed: { name: 'seed' } })
  const said = async () => {
    const outcome = await orchard.settle(kind, 'field')
    const { ready } = await orchard.status('field')
    return { message: ready.message, all: JSON.stringify([outcome, ready, await orchard.events('field')]) }
  }
  const broken = await said()
  t.equal(broken.message, 'The message quotes a Secret and is left out')
  lacks(t, broken.all, canary)
  isBroken = false
  await orchard.settle(kind, 'field')
  await orchard.grow('sown', {
    conditions: [{ type: 'Stalled', status: 'True', reason: 'Wrong', message: `not ${word}` }],
  })
  const failed = await said()
  t.equal(failed.message, 'The message quotes a Secret and is left out')
  lacks(t, failed.all, canary)
  await orchard.grow('sown', {
    conditions: [{ type: 'Stalled', status: 'True', reason: 'Wrong', message: 'not sown' }],
  })
  matches(t, (await said()).message, /^Failed: Plant .*\/sown: .*not sown/, 'anything else is told')
})
