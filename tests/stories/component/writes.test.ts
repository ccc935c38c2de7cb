// The writes that a component's update policies are made of, on a cluster: who owns which field afterwards.
import t from 'tap'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { performSteps } from '../../../shared/kube/writes/perform-steps.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { matches } from '../../harness/matches.ts'

const cluster = await anyCluster(t)
const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)
const client = createClient(verdict.access)
t.teardown(client.close)
const { namespace } = cluster
const us = 'shop.example.io'

const configMap = (name: string, data: Record<string, string>, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
})

const refTo = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })

const stored = async (name: string): Promise<KubeObject> => {
  const object = await client.get(refTo(name), { withManagedFields: true })
  if (!object) throw new Error(`${name} does not exist`)
  return object
}

const perform = async (step: Step): Promise<StepResult> => {
  const options = { clusters: clusters({ local: client }), fieldManager: us, mayContinue: () => true, issue: noIssue }
  const [result] = await performSteps([step], options)
  if (!result) throw new Error('the step was not begun')
  return result
}

const noIssue = async () => ({})

/** Managers with the fields they own below `data`, as `manager operation: a b`. */
const owners = async (name: string): Promise<string[]> => {
  const entries = ((await stored(name)).metadata.managedFields ?? []) as Entry[]
  return entries.map(({ manager, operation, subresource, fieldsV1 }) => {
    const fields = Object.keys(fieldsV1['f:data'] ?? {}).filter(field => field !== '.')
    return `${manager} ${operation}${subresource ? ` of ${subresource}` : ''}: ${fields.join(' ')}`
  })
}

type Entry = { manager: string; operation: string; subresource?: string; fieldsV1: { 'f:data'?: object } }

t.test('CO-58 an object that somebody else created first is not overwritten: a conflict', async t => {
  const step: Step = { do: 'create', object: configMap('first', { a: 'ours' }) }
  await client.create(configMap('first', { a: 'theirs' }), { fieldManager: 'somebody' })
  matches(t, await perform(step), { changed: false, error: { isConflict: true, isRetriable: false } })
  t.strictSame((await stored('first')).data, { a: 'theirs' })
  matches(t, await perform({ do: 'create', object: configMap('new', { a: 'ours' }) }), {
    changed: true,
    object: { metadata: { uid: String }, data: { a: 'ours' } },
  })
  t.strictSame(await owners('new'), [`${us} Update: f:a`])
})

t.test('CO-59 replace: all as rendered but the finalizers, and bound to what was read', async t => {
  const finalizers = ['example.com/held']
  await client.create(configMap('replaced', { a: '1', b: '2' }, { finalizers, labels: { theirs: 'yes' } }), {
    fieldManager: 'somebody',
  })
  const target = await stored('replaced')
  const object = configMap('replaced', { a: '3' }, { labels: { ours: 'yes' } })
  matches(t, await perform({ do: 'replace', object, target }), { changed: true, error: undefined })
  const after = await stored('replaced')
  t.strictSame(
    [after.data, after.metadata.labels, after.metadata.finalizers, after.metadata.uid],
    [{ a: '3' }, { ours: 'yes' }, finalizers, target.metadata.uid],
  )
  matches(t, await perform({ do: 'replace', object, target }), { error: { isConflict: true } }, 'it changed since')
  const bound = configMap('replaced', { a: '4' }, { resourceVersion: target.metadata.resourceVersion })
  matches(
    t,
    await perform({ do: 'replace', object: bound, target: after }),
    { error: { isConflict: true } },
    'the manifest’s own resourceVersion counts more than the one read',
  )
  matches(t, await perform({ do: 'replace', object, target: after }), { changed: false }, 'nothing changes')
  await client.patch(
    refTo('replaced'),
    { type: 'merge', body: { metadata: { finalizers: null } } },
    { fieldManager: us },
  )
})

t.test(
  'CO-59 CO-49 replace keeps what the API server filled in for good: a claim’s volume, a Job’s selector',
  async t => {
    const labelled = (object: KubeObject, version: string): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { version } },
    })
    const metadata = { name: 'filled', namespace }
    const resources = { requests: { storage: '1Gi' } }
    const claim: KubeObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'slow', resources },
    }
    const pod = { restartPolicy: 'Never', containers: [{ name: 'a', image: 'example.com/a' }] }
    const job: KubeObject = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec: pod } } }
    const ref = ({ apiVersion, kind }: KubeObject) => ({ apiVersion, kind, namespace, name: 'filled' })
    for (const object of [claim, job]) await perform({ do: 'create', object: labelled(object, '1') })
    const bound = { type: 'merge' as const, body: { spec: { volumeName: 'volume-of-filled' } } }
    await client.patch(ref(claim), bound, { fieldManager: 'somebody' })
    for (const object of [claim, job]) {
      const target = await client.get(ref(object))
      if (!target) throw new Error(`${object.kind} is not there`)
      const { error } = await perform({ do: 'replace', object: labelled(object, '2'), target })
      t.equal(error?.message, undefined, object.kind)
      const after = await client.get(ref(object))
      t.strictSame([after?.metadata.labels?.version, after?.spec], ['2', target.spec])
    }
  },
)

const merge = (object: KubeObject): Step => ({ do: 'apply', object, force: true, reclaimFrom: [] })

t.test(
  'CO-60 ssa-merge: others keep their fields, contested ones are taken, ours are pruned, also those of a PUT',
  async t => {
    await perform({ do: 'create', object: configMap('merged', { a: '1', b: '2', c: '3' }) })
    const merging = { type: 'merge' as const, body: { data: { a: 'theirs', d: 'theirs' } } }
    await client.patch(refTo('merged'), merging, { fieldManager: 'somebody' })
    matches(t, await perform(merge(configMap('merged', { a: '1', b: '2' }))), { changed: true, error: undefined })
    t.strictSame((await stored('merged')).data, { a: '1', b: '2', d: 'theirs' })
    t.strictSame((await owners('merged')).toSorted(), [`${us} Apply: f:a f:b`, 'somebody Update: f:d'])
    matches(t, await perform(merge(configMap('merged', { a: '1' }))), { changed: true })
    t.strictSame((await stored('merged')).data, { a: '1', d: 'theirs' })
    const { resourceVersion } = (await stored('merged')).metadata
    matches(t, await perform(merge(configMap('merged', { a: '1' }))), {
      changed: false,
      object: { metadata: { resourceVersion } },
    })
  },
)

t.test('CO-61 ssa-override: fields of reclaimed managers become ours and go if not rendered', async t => {
  const write = (data: object, fieldManager: string) =>
    client.patch(refTo('overridden'), { type: 'merge', body: { data } }, { fieldManager })
  await client.create(configMap('overridden', { kept: '1', dropped: '2' }), { fieldManager: 'kubectl-create' })
  await client.apply(configMap('overridden', { applied: '3' }), { fieldManager: 'helm' })
  await write({ edited: '4' }, 'kubectl-edit')
  await write({ scaled: '5' }, 'autoscaler')
  const object = configMap('overridden', { kept: '1' })
  matches(t, await perform({ do: 'apply', object, force: true, reclaimFrom: ['kubectl', 'helm'] }), {
    error: undefined,
  })
  t.strictSame((await stored('overridden')).data, { kept: '1', scaled: '5' })
  t.strictSame((await owners('overridden')).toSorted(), ['autoscaler Update: f:scaled', `${us} Apply: f:kept`])
})

t.test('CO-61 fields written to the status keep their manager', async t => {
  const ref = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace, name: 'door' }
  const ingress: KubeObject = {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace },
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  }
  await client.create(ingress, { fieldManager: 'kubectl-create' })
  const status = { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } }
  await client.patch(
    ref,
    { type: 'merge', body: { status } },
    { fieldManager: 'kubectl-status', subresource: 'status' },
  )
  const step: Step = { do: 'apply', object: ingress, force: true, reclaimFrom: ['kubectl'] }
  matches(t, await perform(step), { error: undefined, object: { status } })
  const entries = ((await client.get(ref, { withManagedFields: true }))?.metadata.managedFields ?? []) as Entry[]
  const names = entries.map(({ manager, subresource }) => `${manager} ${subresource ?? ''}`)
  t.ok(names.includes('kubectl-status status'), names.join(', '))
  t.notOk(names.includes('kubectl-create '), names.join(', '))
})

t.test('A5 an object that is gone, or whose kind is gone, needs no deleting', async t => {
  const target = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, uid: '00000000-0000-0000-0000-000000000000', resourceVersion: '1' },
  })
  for (const object of [
    configMap('none', {}),
    { ...configMap('none', {}), apiVersion: 'nowhere.example/v1', kind: 'None' },
  ])
    matches(t, await perform({ do: 'delete', target: target(object), propagation: 'Background' }), {
      changed: false,
      error: undefined,
    })
})
