// The Kubernetes client against an API server: the embedded one, or the real control plane with `npm run test:cluster`.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { Step, StepResult } from '../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { RawRequest, RequestNote } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { isConflict, isNotServed, isOwnershipConflict } from '../../shared/kube/errors.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { type ServedKind, servedKinds } from '../../shared/kube/served-kinds.ts'
import { recordEvent, writtenEvents } from '../../shared/kube/writes/events.ts'
import { performSteps } from '../../shared/kube/writes/perform-steps.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { matches } from '../harness/matches.ts'

const cluster = await anyCluster(t)
const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)

const requests: RequestNote[] = []
const client = createClient(verdict.access, { onRequest: note => requests.push(note) })
t.teardown(client.close)

const suffix = randomBytes(4).toString('hex')
const { namespace } = cluster

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

const refTo = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })

const existing = async (name: string): Promise<KubeObject> => {
  const object = await client.get(refTo(name))
  if (!object) throw new Error(`${name} does not exist`)
  return object
}

/** The result of one step. */
const perform = async (step: Step): Promise<StepResult> => {
  const [result] = await performSteps([step], {
    clusters: clusters({ local: client }),
    fieldManager: 'tests',
    mayContinue: () => true,
    issue: async (request, current) => ({
      'tls.crt': Buffer.from(`${request.commonName} ${current?.data ? 'renewed' : 'new'}`).toString('base64'),
      'tls.key': Buffer.from('key').toString('base64'),
    }),
  })
  if (!result) throw new Error('the step was not begun')
  return result
}

/** Requests that write, made meanwhile. */
const writesDuring = async (act: () => Promise<unknown>): Promise<string[]> => {
  const before = requests.length
  await act()
  return requests
    .slice(before)
    .filter(({ method }) => method !== 'GET')
    .map(({ verb }) => verb)
}

/** Resolves with the first defined answer; for what the API server does in its own time. */
const eventually = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const answer = await attempt()
    if (answer !== undefined) return answer
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const group = `kube-client-${suffix}.example`

/** A CRD with everything bundled types tend to lose. */
const crd = (plural: string, kind: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  port: { 'x-kubernetes-int-or-string': true },
                  rules: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, value: { type: 'integer' } },
                    },
                  },
                  size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 100', message: 'too large' }] },
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
})

/** The CRD's objects can be asked for. */
const establish = async (definition: KubeObject, kind: string): Promise<void> => {
  await client.apply(definition, { fieldManager: 'tests' })
  t.teardown(() =>
    client.delete(
      { apiVersion: definition.apiVersion, kind: definition.kind, namespace: '', name: definition.metadata.name },
      {},
    ),
  )
  const query = { apiVersion: `${group}/v1`, kind, namespace }
  await eventually(() => client.list(query).catch(error => (isNotServed(error) ? undefined : Promise.reject(error))))
}

t.test('FN-50 fields that no bundled type knows arrive unchanged', async t => {
  const definition = crd('trinkets', 'Trinket')
  await establish(definition, 'Trinket')
  const stored = await client.get({ ...definition, namespace: '', name: definition.metadata.name })
  matches(t, stored?.spec, definition.spec as object, 'the CRD with all of its x-kubernetes-* keys')

  const trinket = {
    apiVersion: `${group}/v1`,
    kind: 'Trinket',
    metadata: { name: 'a', namespace },
    spec: {
      port: '80%',
      size: 12,
      rules: [{ name: 'one', value: 1 }, { name: 'two' }],
      template: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, immutable: false },
      free: { 'dashes-and.dots/slashes': [null, 0, '', false, { deep: [[]] }], '': 'an empty key' },
    },
  }
  const applied = await client.apply(trinket, { fieldManager: 'tests' })
  t.strictSame(applied.spec, trinket.spec)
  t.strictSame(
    (await client.get({ apiVersion: trinket.apiVersion, kind: 'Trinket', namespace, name: 'a' }))?.spec,
    trinket.spec,
  )
})

t.test('FN-51 unchanged content is recognised and not written', async t => {
  const object = {
    ...configMap('unchanged', { a: '1', b: '2' }),
    metadata: { name: 'unchanged', namespace, labels: { x: 'y' } },
  }
  const apply = () => perform({ do: 'apply', object })
  matches(t, await apply(), { changed: true, error: undefined })
  const { resourceVersion } = (await existing('unchanged')).metadata
  t.strictSame(
    await writesDuring(async () =>
      matches(t, await apply(), { changed: false, object: { metadata: { resourceVersion } } }),
    ),
    [],
  )
  t.equal((await existing('unchanged')).metadata.resourceVersion, resourceVersion)
})

t.test('FN-51 what is spelt otherwise by the API server is written by no more than a no-op', async t => {
  const object = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'spelling', namespace },
    spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '0.5Gi' } }] },
  }
  matches(t, await perform({ do: 'apply', object }), { changed: true, error: undefined })
  matches(t, await perform({ do: 'apply', object }), { changed: false, error: undefined })
})

t.test('FN-51 a Deployment with lists, keys that are defaulted and embedded maps is recognised too', async t => {
  const container = {
    name: 'web',
    image: 'web:1',
    args: ['--a', '--b'],
    ports: [{ containerPort: 80, name: 'http' }],
    env: [
      { name: 'A', value: '1' },
      { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    ],
    resources: { limits: { cpu: '500m', memory: '64Mi' } },
  }
  const deployment = (containers: object[]) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace, labels: { app: 'web' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers, volumes: [{ name: 'scratch', emptyDir: {} }], tolerations: [{ operator: 'Exists' }] },
      },
    },
  })
  const apply = (object: KubeObject) => perform({ do: 'apply', object })
  const one = deployment([container])
  matches(t, await apply(one), { changed: true, error: undefined })
  t.strictSame(await writesDuring(() => apply(one)), [])
  const two = deployment([container, { name: 'side', image: 'side:1' }])
  matches(t, await apply(two), { changed: true, error: undefined })
  t.strictSame(await writesDuring(() => apply(two)), [])
  matches(t, await apply(one), {
    changed: true,
    object: { spec: { template: { spec: { containers: [{ name: 'web' }] } } } },
  })
})

t.test('FN-51 a change, a dropped field and the interference of others are written', async t => {
  const apply = (data: Record<string, string>, force?: boolean) =>
    perform({ do: 'apply', object: configMap('changing', data), force })
  await apply({ a: '1', b: '2' })
  matches(t, await apply({ a: '1', b: '3' }), { changed: true, object: { data: { a: '1', b: '3' } } })
  t.strictSame((await apply({ a: '1' })).object?.data, { a: '1' }, 'what we applied once and dropped is gone')
  await client.patch(
    refTo('changing'),
    { type: 'merge', body: { data: { c: 'theirs' } } },
    { fieldManager: 'somebody' },
  )
  matches(
    t,
    await apply({ a: '1' }),
    { changed: false, object: { data: { a: '1', c: 'theirs' } } },
    'what others add is theirs',
  )
  await client.patch(
    refTo('changing'),
    { type: 'merge', body: { data: { a: 'theirs' } } },
    { fieldManager: 'somebody' },
  )
  matches(
    t,
    await apply({ a: '1' }, true),
    { changed: true, object: { data: { a: '1' } } },
    'what others change is taken back',
  )
  await client.delete(refTo('changing'), {})
  matches(
    t,
    await apply({ a: '1' }),
    { changed: true, object: { data: { a: '1' } } },
    'what others delete is made again',
  )
})

t.test('FN-52 a field of another manager is reported with manager and field, and only forced when asked', async t => {
  await client.apply(configMap('shared', { a: 'theirs' }), { fieldManager: 'the-other-manager' })
  const step = { do: 'apply' as const, object: configMap('shared', { a: 'ours' }) }
  const { changed, error } = await perform(step)
  t.equal(changed, false)
  matches(t, error, { isConflict: false, isRetriable: false, message: /the-other-manager/, ref: { name: 'shared' } })
  matches(t, error?.message, /\.data\.a/)
  const thrown = await client.apply(step.object, { fieldManager: 'tests' }).catch(error => error)
  t.ok(isOwnershipConflict(thrown) && !isConflict(thrown))
  matches(t, thrown.causes, [{ reason: 'FieldManagerConflict', field: '.data.a' }])
  t.strictSame((await existing('shared')).data, { a: 'theirs' }, 'nothing was taken')
  matches(t, await perform({ ...step, force: true }), { changed: true, object: { data: { a: 'ours' } } })
})

t.test('FN-53 lists come in pages that show one moment; selectors and metadata alone', async t => {
  for (let i = 0; i < 7; i++)
    await client.create(
      {
        ...configMap(`page-${i}`, { n: String(i) }),
        metadata: { name: `page-${i}`, namespace, labels: { list: 'paged' } },
      },
      { fieldManager: 'tests' },
    )
  const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector: 'list=paged' }
  const pages = []
  for await (const page of client.pages({ ...query, pageSize: 3 })) pages.push(page)
  t.strictSame(
    pages.map(({ objects }) => objects.length),
    [3, 3, 1],
  )
  t.equal(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size, 1)
  const objects = await client.list({ ...query, pageSize: 2 })
  t.strictSame(
    objects.map(({ metadata: { name } }) => name),
    Array.from({ length: 7 }, (_, i) => `page-${i}`),
  )
  for (const object of objects) {
    matches(t, object, { apiVersion: 'v1', kind: 'ConfigMap', data: { n: String } })
    t.notOk('managedFields' in object.metadata)
  }
  const names = []
  for await (const page of client.names({ apiVersion: 'v1', kind: 'ConfigMap', namespace })) names.push(...page)
  t.strictSame(
    names.filter(name => name.startsWith('page-')),
    Array.from({ length: 7 }, (_, i) => `page-${i}`),
  )
  const [alone] = await client.list({ ...query, metadataOnly: true, fieldSelector: 'metadata.name=page-5' })
  matches(t, alone, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'page-5' }, data: undefined })
  t.equal(
    (
      await client.list({
        ...query,
        fromCache: true,
        keep: object => (object.metadata.name === 'page-1' ? object : undefined),
      })
    ).length,
    1,
  )
})

t.test('FN-56 a kind whose CRD was just created is found, and one without CRD is named in the error', async t => {
  const bauble = { apiVersion: `${group}/v1`, kind: 'Bauble', metadata: { name: 'a', namespace }, spec: { free: true } }
  const ref = { apiVersion: bauble.apiVersion, kind: 'Bauble', namespace, name: 'a' }
  const error = await client.get(ref).catch(error => error)
  t.ok(isNotServed(error))
  matches(t, error, { group, version: 'v1', kind: 'Bauble', message: new RegExp(`Bauble.*${group}.*v1`) })
  await establish(crd('baubles', 'Bauble'), 'Bauble')
  t.equal(await client.get(ref), undefined)
  matches(t, await client.create(bauble, { fieldManager: 'tests' }), { spec: { free: true } })
  matches(t, await perform({ do: 'apply', object: { ...bauble, kind: 'Gizmo' } }), {
    error: { isRetriable: true, message: /Gizmo/ },
  })
})

t.test(
  'FN-100 an object of a kind that was just defined is created by an apply, which spares it the wait of a POST',
  async t => {
    await establish(crd('pendants', 'Pendant'), 'Pendant')
    const pendant = (name: string, more = {}): KubeObject => ({
      apiVersion: `${group}/v1`,
      kind: 'Pendant',
      metadata: { name, namespace },
      spec: { port: 1 },
      ...more,
    })
    const made = (object: KubeObject) => perform({ do: 'create', object, isOfNewKind: true })

    await t.test('the API server is asked once', async t => {
      const verbs = await writesDuring(async () =>
        matches(t, await made(pendant('a')), { changed: true, object: { spec: { port: 1 } }, error: undefined }),
      )
      t.strictSame(verbs, ['apply'])
    })
    await t.test('one that is there already stays as it is', async t => {
      const ref = { apiVersion: `${group}/v1`, kind: 'Pendant', namespace, name: 'a' }
      const before = await client.get(ref)
      matches(t, await made(pendant('a', { spec: { port: 2 } })), { changed: false, error: { isConflict: true } })
      t.strictSame(await client.get(ref), before)
    })
    await t.test('a field that the schema does not name is dropped by a POST', async t => {
      const verbs = await writesDuring(async () => {
        const { object, error } = await made(pendant('b', { stray: true }))
        matches(t, { object, error }, { object: { spec: { port: 1 } }, error: undefined })
        t.notOk(object && 'stray' in object)
      })
      t.strictSame(verbs, ['apply', 'create'])
    })
    await t.test('one with a resourceVersion is refused, as in a POST', async t => {
      const metadata = { name: 'c', namespace, resourceVersion: '7' }
      const verbs = await writesDuring(async () =>
        matches(t, await made(pendant('c', { metadata })), { changed: false, error: { message: /resourceVersion/ } }),
      )
      t.strictSame(verbs, ['create'])
    })
    await t.test('one with a uid of elsewhere is created, as by a POST', async t => {
      const metadata = { name: 'd', namespace, uid: '7b0e0ab2-5f0e-4a4c-9c7e-0f3d6d3c2b1a' }
      const { object, error } = await made(pendant('d', { metadata }))
      t.equal(error, undefined)
      t.ok(object?.metadata.uid)
      t.not(object?.metadata.uid, metadata.uid)
    })
    await t.test('what is left out of a later apply goes, though it was there from the beginning', async t => {
      const metadata = { name: 'e', namespace, labels: { tests: 'e' } }
      await made(pendant('e', { metadata, spec: { port: 1, free: true } }))
      const { object } = await perform({ do: 'apply', object: pendant('e'), reclaimFrom: [], force: true })
      matches(t, object, { spec: { port: 1 } })
      t.strictSame([object?.metadata.labels, object?.spec], [undefined, { port: 1 }])
    })
  },
)

t.test('finalizers, patches and deletes are bound to what was read', async t => {
  const first = (await perform({ do: 'apply', object: configMap('bound', { a: '1' }) })).object
  if (!first) throw new Error('nothing was applied')
  const held = await perform({ do: 'addFinalizer', target: first, finalizer: 'tests.example/hold' })
  matches(t, held, { changed: true, object: { metadata: { finalizers: ['tests.example/hold'] } } })

  matches(
    t,
    await perform({ do: 'patch', target: first, merge: { data: { a: '2' } } }),
    { changed: true, error: undefined },
    'the finalizer is none of its business',
  )
  matches(
    t,
    await perform({ do: 'patch', target: first, merge: { data: { a: '3' } } }),
    { changed: false, error: { isConflict: true } },
    'somebody else changed what it would change',
  )
  matches(t, await perform({ do: 'delete', target: first }), { changed: false, error: { isConflict: true } })
  matches(t, await perform({ do: 'addFinalizer', target: first, finalizer: 'tests.example/more' }), {
    error: { isConflict: true },
  })

  const patched = await perform({ do: 'patch', target: await existing('bound'), merge: { data: { a: null, b: '2' } } })
  t.strictSame(patched.object?.data, { b: '2' })
  matches(t, await perform({ do: 'delete', target: await existing('bound') }), { changed: true, error: undefined })
  const ending = await existing('bound')
  t.ok(ending.metadata.deletionTimestamp)
  t.strictSame(
    await writesDuring(() => perform({ do: 'delete', target: ending })),
    [],
    'what is being deleted is not deleted again',
  )

  matches(t, await perform({ do: 'removeFinalizer', target: ending, finalizer: 'tests.example/hold' }), {
    error: undefined,
  })
  t.equal(await client.get(refTo('bound')), undefined)
  matches(t, await perform({ do: 'removeFinalizer', target: ending, finalizer: 'tests.example/hold' }), {
    error: undefined,
  })
  matches(
    t,
    await perform({ do: 'delete', target: patched.object ?? first }),
    { changed: false, error: undefined },
    'gone already',
  )
  matches(t, await perform({ do: 'patch', target: ending, merge: { data: { c: '3' } } }), {
    error: { isConflict: true },
  })
})

t.test('RE-03 a new object of the same name survives a delete of the old one', async t => {
  const old = await client.create(configMap('reborn'), { fieldManager: 'tests' })
  await client.delete(refTo('reborn'), { uid: old.metadata.uid })
  await client.create(configMap('reborn', { new: 'yes' }), { fieldManager: 'tests' })
  matches(t, await perform({ do: 'delete', target: old }), { changed: false, error: { isConflict: true } })
  t.strictSame((await existing('reborn')).data, { new: 'yes' })
})

t.test('certificates are issued into a Secret that is new, and renewed in one that is there', async t => {
  const into = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'certificates', namespace },
    type: 'kubernetes.io/tls',
  }
  const step = {
    do: 'issueCertificates' as const,
    into,
    for: { renew: ['authority', 'serving'] as const, commonName: 'hook', names: [], authorityDays: 2, servingDays: 1 },
  }
  const issued = await perform(step)
  const text = ({ object }: StepResult) => {
    const data = object?.data as Record<string, string> | undefined
    return Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString()
  }
  matches(t, [issued.changed, text(issued)], [true, 'hook new'])
  const renewed = await perform({ ...step, into: issued.object ?? into })
  matches(t, [renewed.changed, text(renewed)], [true, 'hook renewed'])
  matches(
    t,
    await perform({ ...step, into: issued.object ?? into }),
    { error: { isConflict: true } },
    'not over what another copy renewed',
  )
})

t.test('FN-208 events are counted, not multiplied, also by another process', async t => {
  const regarding = await client.create(configMap('regarded'), { fieldManager: 'tests' })
  const notes = [
    { type: 'Normal' as const, reason: 'Created', message: 'made the thing' },
    { type: 'Warning' as const, reason: 'Failed', message: 'could not' },
  ]
  const [written, ofOther] = [writtenEvents(), writtenEvents()]
  const rounds = [
    { now: new Date('2024-01-01T00:00:00Z'), written },
    { now: new Date('2024-01-01T01:00:00Z'), written },
    { now: new Date('2024-01-01T02:00:00Z'), written: ofOther },
    { now: new Date('2024-01-01T03:00:00Z'), written },
  ]
  for (const round of rounds)
    for (const note of notes) await recordEvent(client, { ...note, regarding }, { component: 'tests', ...round })
  const events = await client.list({
    apiVersion: 'v1',
    kind: 'Event',
    namespace,
    fieldSelector: 'involvedObject.name=regarded',
  })
  t.equal(events.length, 2)
  for (const event of events)
    matches(t, event, {
      count: 4,
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T03:00:00Z',
      source: { component: 'tests' },
      involvedObject: { kind: 'ConfigMap', name: 'regarded', uid: regarding.metadata.uid },
    })
})

t.test('RE-31 what a Secret holds does not leave the API server when only its metadata is asked for', async t => {
  const metadata = { name: `kept-${suffix}`, namespace }
  const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'canary' } }
  await client.create(secret, { fieldManager: 'tests' })
  const path = `/api/v1/namespaces/${namespace}/secrets`
  const query = 'fieldSelector=metadata.name%3D'
  const asMetadata = 'application/json;as=PartialObjectMetadata'
  const lists = `${asMetadata}List;g=meta.k8s.io;v=v1`
  const accepted = {
    [`${path}/${metadata.name}`]: `${asMetadata};g=meta.k8s.io;v=v1`,
    [`${path}?${query}${metadata.name}`]: lists,
  }
  for (const [asked, accept] of Object.entries(accepted)) {
    const text = JSON.stringify(await client.raw({ method: 'GET', path: asked, accept }))
    t.ok(text.includes(metadata.name) && text.includes('PartialObjectMetadata'), asked)
    t.notOk(text.includes('"data"') || text.includes(Buffer.from('canary').toString('base64')), asked)
  }
  matches(t, await client.get({ apiVersion: 'v1', kind: 'Secret', ...metadata }, { metadataOnly: true }), {
    kind: 'Secret',
    data: undefined,
  })
})

t.test('a watch from a list on misses nothing', async t => {
  const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector: 'watched=yes' }
  const labelled = (name: string) => ({ ...configMap(name), metadata: { name, namespace, labels: { watched: 'yes' } } })
  await client.create(labelled('w1'), { fieldManager: 'tests' })
  let resourceVersion = ''
  for await (const page of client.pages(query)) resourceVersion = page.resourceVersion
  await client.create(labelled('w2'), { fieldManager: 'tests' })
  await client.patch(refTo('w1'), { type: 'merge', body: { data: { a: 'b' } } }, { fieldManager: 'tests' })
  await client.delete(refTo('w2'), {})
  const seen: string[] = []
  for await (const { type, object } of client.watch({ ...query, resourceVersion })) {
    if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata.name}`)
    if (seen.length === 3) break
  }
  t.strictSame(seen, ['ADDED w2', 'MODIFIED w1', 'DELETED w2'])
  for await (const { object } of client.watch({ ...query, resourceVersion, metadataOnly: true })) {
    matches(t, object, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w2', labels: { watched: 'yes' } } })
    t.strictSame(Object.keys(object).sort(), ['apiVersion', 'kind', 'metadata'])
    break
  }
})

t.test('CO-83 what a cluster serves is asked for in two requests, and is what its many documents say', async t => {
  const before = requests.length
  const told = await servedKinds(client)
  t.strictSame(
    requests.slice(before).map(({ method }) => method),
    ['GET', 'GET'],
  )
  // An API server that has no such documents; kinds that others make and take away meanwhile are left out.
  const old = { ...client, raw: (request: RawRequest) => client.raw({ ...request, accept: 'application/json' }) }
  const lines = (kinds: readonly ServedKind[]) =>
    kinds.filter(({ group }) => !group.includes('.') || group.endsWith('.k8s.io')).map(kind => JSON.stringify(kind))
  t.strictSame(lines(told).sort(), lines(await servedKinds(old)).sort())
  t.ok(lines(told).length > 50)
  const versionsOf = (kinds: readonly ServedKind[], wanted: string) => [
    ...new Set(kinds.filter(({ group }) => group === wanted).map(({ apiVersion }) => apiVersion)),
  ]
  t.strictSame(
    versionsOf(told, 'autoscaling'),
    versionsOf(await servedKinds(old), 'autoscaling'),
    'preferred ones first',
  )
})
