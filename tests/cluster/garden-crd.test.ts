// The CRD of Garden on a real API server: accepted, and meaning there what it was written to mean. Which values are
// right and wrong is told in tests/make/garden/garden-rules.ts.
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { refOf, refText, type KubeObject as StoredObject } from '../../shared/core/objects/object.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { filled } from '../functions/garden-admission/reviews.ts'
import { type ApiClient, apiClient, type KubeObject, type Reply } from '../harness/clients/api.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { matches } from '../harness/matches.ts'
import { oracles } from '../harness/oracles.ts'
import { eventually } from '../harness/until.ts'
import { valueAt, without, withValue } from '../make/field.ts'
import { anyGarden } from '../make/garden/any-garden.ts'
import { fullGarden, garden, sample } from '../make/garden/garden.ts'
import { anySurroundings, partsOf, worldOf } from '../make/garden/garden-parts.ts'
import { defaults, faultyGardens, immutable, unusualGardens } from '../make/garden/garden-rules.ts'

const run = promisify(execFile)
const manifests = join(import.meta.dirname, '..', '..', 'manifests')
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const gardens = '/apis/operator.gardener.cloud/v1alpha1/gardens'

t.test('the Garden on a real API server', async t => {
  const { api, kubectl, access } = await cluster(t)

  t.test('the CRD is accepted as kubectl sends it, structural, established and served', async t => {
    await kubectl('apply', '-f', join(manifests, 'crds', 'operator.gardener.cloud_gardens.yaml'))
    const crd = await api.waitFor({
      in: crds,
      name: 'gardens.operator.gardener.cloud',
      until: crd => conditionOf(crd, 'Established') === 'True',
    })
    t.equal(conditionOf(crd, 'NamesAccepted'), 'True')
    t.not(conditionOf(crd, 'NonStructuralSchema'), 'True')
    await api.served(gardens)
    // Discovery, by which kubectl finds kinds, follows when it likes.
    const isFound = () =>
      kubectl('get', 'gardens.operator.gardener.cloud').then(
        () => true,
        () => false,
      )
    await eventually('kubectl finds Gardens', isFound)
  })

  t.test('the smallest Garden applies and gets no field it did not ask for', async t => {
    await kubectl('apply', '-f', join(manifests, 'samples', 'garden.yaml'))
    const { body } = await api.call('GET', `${gardens}/garden`)
    t.strictSame(body.spec, sample('garden').spec)
    await api.call('DELETE', `${gardens}/garden`)
  })

  t.test('GA-54 the full sample applies, every field kept', async t => {
    await kubectl('apply', '-f', join(manifests, 'samples', 'garden-full.yaml'))
    const { body } = await api.call('GET', `${gardens}/garden`)
    t.strictSame(body.spec, sample('garden-full').spec)
    await api.call('DELETE', `${gardens}/garden`)
  })

  t.test('every field of spec and status is kept, what is no field is pruned', async t => {
    const { status, spec, ...full } = fullGarden()
    const created = await api.call('POST', gardens, { body: { ...full, spec: { ...spec, unknown: true } } })
    t.equal(created.status, 201, created.text)
    t.strictSame(created.body.spec, spec)
    t.equal(created.body.status, undefined, 'status has a door of its own')
    const patched = await patch(api, { status }, '/status')
    t.strictSame(patched.body.status, status)
    t.equal(patched.body.metadata?.generation, 1)
    t.equal((await patch(api, { status: { lastOperation: { progress: null } } }, '/status')).status, 422)
  })

  t.test('columns tell the state', async t => {
    const { stdout } = await kubectl('get', 'grdn')
    const [head = '', row = ''] = stdout.split('\n')
    t.strictSame(
      head.split(/ {2,}/).map(name => name.trim()),
      [
        'NAME',
        'RECONCILED',
        'K8S VERSION',
        'GARDENER VERSION',
        'LAST OPERATION',
        'RUNTIME',
        'VIRTUAL',
        'API SERVER',
        'OBSERVABILITY',
        'AGE',
      ],
    )
    matches(t, row, /^garden +Progressing +1\.34\.3 +v1\.130\.0 +Processing/)
  })

  t.test('a change of what is immutable is refused in its words', async t => {
    for (const [field, message] of Object.entries(immutable)) {
      const reply = await patch(api, withValue({}, field, 'changed'))
      t.equal(reply.status, 422, field)
      t.strictSame(causes(reply), [[field, message]])
    }
    const withoutBucket = withValue({}, 'spec.virtualCluster.etcd.main.backup.bucketName', null)
    t.equal((await patch(api, withoutBucket)).status, 200, 'taking it away is for admission to refuse')
    const bucket = withValue({}, 'spec.virtualCluster.etcd.main.backup.bucketName', 'later')
    t.equal((await patch(api, bucket)).status, 200, 'GA-161 a bucket may be named later')
    await api.call('DELETE', `${gardens}/garden`)
  })

  t.test('defaults appear where their parent is', async t => {
    for (const [field, value] of Object.entries(defaults)) {
      const reply = await dryRun(api, without(fullGarden(), field))
      t.equal(valueAt(reply.body, field), value, field)
    }
  })

  t.test('unusual values of a Garden are accepted', async t => {
    for (const { name, field, garden } of unusualGardens()) {
      const reply = await dryRun(api, garden)
      t.strictSame([reply.status, valueAt(reply.body, field)], [201, valueAt(garden, field)], name)
    }
  })

  t.test('wrong values are refused at their field', async t => {
    for (const { name, field, garden } of faultyGardens()) {
      const reply = await dryRun(api, garden)
      t.equal(reply.status, 422, name)
      t.ok(
        causes(reply).some(([at]) => at === field),
        `${name}: ${reply.text}`,
      )
    }
  })

  t.test('without the webhook an older list of plain strings is refused, never half understood', async t => {
    const older = withValue(garden(), 'spec.runtimeCluster.networking.pods', '10.1.0.0/16')
    t.equal((await dryRun(api, older)).status, 422)
  })

  t.test('GA-190 what several Gardens are made of is taken by the API server, object for object', async t => {
    const client = createClient(access)
    t.teardown(() => client.close())
    const gardens = fc.sample(fc.tuple(anyGarden, anySurroundings), { numRuns: 4, seed: 190 })
    const parts = gardens.map(([garden, around]) => partsOf(worldOf(filled(garden), around)))
    const objects = parts.flatMap(({ runtime, virtual }) => [...runtime, ...virtual]).map(inOneFamily)
    const [definitions, others] = [objects.filter(isDefinition), objects.filter(object => !isDefinition(object))]
    for (const definition of definitions) await client.apply(definition, { ...person, force: true })
    for (const name of new Set(others.flatMap(({ metadata }) => metadata.namespace ?? [])))
      await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)
    await eventually('all kinds are served', async () => (await refusals(client, definitions.map(oneOf))).length === 0)
    t.strictSame(await refusals(client, others), [])
  })

  t.test('kubectl explains a field', async t => {
    const { stdout } = await kubectl('explain', 'gardens.spec.virtualCluster.etcd.main.backup.bucketName')
    matches(t, stdout, /Name of an existing bucket/)
  })
})

async function cluster(t: Test) {
  const controlPlane = await ownControlPlane(t)
  const api = apiClient(controlPlane, controlPlane.admin)
  t.teardown(() => api.close())
  const { kubectl } = await oracles()
  const { kubeconfigPath } = controlPlane
  const options = ['--kubeconfig', kubeconfigPath, '--cache-dir', join(dirname(kubeconfigPath), 'kubectl')]
  const verdict = parseKubeconfig(controlPlane.kubeconfig, { allowedHosts: ['127.0.0.1'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const { access } = verdict
  return { api, access, kubectl: (...args: string[]) => run(kubectl, [...options, ...args]) }
}

const person = { fieldManager: 'person' }

/** Services of this cluster have IPv4 addresses alone, so it refuses each that asks for another family. */
const inOneFamily = (object: StoredObject): StoredObject => {
  const { ipFamilies, ipFamilyPolicy, ...spec } = (object.spec ?? {}) as Record<string, unknown>
  return ipFamilies || ipFamilyPolicy ? { ...object, spec } : object
}

const isDefinition = ({ kind }: { kind: string }): boolean => kind === 'CustomResourceDefinition'

/** Some object of the kind that it defines. */
const oneOf = ({ spec, metadata }: StoredObject): StoredObject => {
  const { group, names, versions, scope } = spec as Definition
  const [version] = versions
  const place = scope === 'Namespaced' ? { name: 'one', namespace: 'default' } : { name: 'one' }
  return { apiVersion: `${group}/${version?.name ?? metadata.name}`, kind: names.kind, metadata: place }
}

type Definition = { group: string; scope: string; names: { kind: string }; versions: { name: string }[] }

/** What the API server says against applying them; nothing is stored. */
const refusals = async (client: Client, objects: readonly StoredObject[]): Promise<string[]> => {
  const answers = objects.map(object =>
    client.apply(object, { ...person, force: true, dryRun: true }).then(
      () => [],
      error => [`${refText(refOf(object))}: ${error}`],
    ),
  )
  return (await Promise.all(answers)).flat()
}

function conditionOf(object: KubeObject | undefined, type: string): string | undefined {
  const conditions = (object?.status?.conditions ?? []) as { type: string; status: string }[]
  return conditions.find(condition => condition.type === type)?.status
}

/** What the API server would make of it. */
function dryRun(api: ApiClient, body: unknown): Promise<Reply> {
  return api.call('POST', `${gardens}?dryRun=All`, { body })
}

function patch(api: ApiClient, body: unknown, subresource = ''): Promise<Reply> {
  return api.call('PATCH', `${gardens}/garden${subresource}`, { body, contentType: 'application/merge-patch+json' })
}

function causes({ body }: Reply): [field: string, message: string][] {
  const details = body.details as { causes?: { field: string; message: string }[] } | undefined
  return (details?.causes ?? []).map(({ field, message }) => [field, message.replace(/^Invalid value: [^:]*: /, '')])
}
