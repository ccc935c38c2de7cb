// What kubectl prints, on the embedded cluster and on the real one: the same. Each file kubectl/*.transcript is a list of
// commands with the output that the real API server leads to; ESPALIER_RECORD=1 with the real cluster writes them anew.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { type AnyCluster, type AnyClusterOptions, anyCluster } from '../harness/clusters/any-cluster.ts'
import { rejects } from '../harness/matches.ts'
import { briefly, oracles } from '../harness/oracles.ts'
import { testFolder } from '../harness/test-folder.ts'
import { usualSeconds } from '../harness/until.ts'
import { sample } from '../make/garden/garden.ts'

const folder = join(import.meta.dirname, 'kubectl')
const crds = join(import.meta.dirname, '..', '..', 'manifests', 'crds')
const isRecording = process.env.ESPALIER_RECORD !== undefined

type Step = { readonly command: string; readonly output: string }

const stepsOf = (transcript: string): Step[] =>
  transcript
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const end = part.indexOf('\n')
      return { command: part.slice(0, end), output: part.slice(end + 1) }
    })

const transcriptOf = (steps: readonly Step[]): string =>
  steps.map(({ command, output }) => `$ ${command}\n${output}`).join('')

type Shell = (command: string) => Promise<string>

/** A shell in the folder of manifests, whose kubectl talks to the cluster in the call's own namespace. */
const shellFor = async (t: Test, { kubeconfig, namespace }: AnyCluster): Promise<Shell> => {
  const home = testFolder(t)
  const config = parse(kubeconfig) as { contexts: { context: { namespace?: string } }[] }
  for (const { context } of config.contexts) context.namespace = namespace
  await writeFile(join(home, 'config'), stringify(config), { mode: 0o600 })
  const env = {
    ...briefly,
    PATH: `${dirname((await oracles()).kubectl)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: home,
    TZ: 'UTC',
    KUBECONFIG: join(home, 'config'),
    KUBE_EDITOR: 'sed -i s/small/edited/',
    NAMESPACE: namespace,
  }
  return command =>
    new Promise(resolve => {
      execFile(
        'sh',
        ['-c', `{ ${command}\n} 2>&1`],
        { cwd: folder, env, timeout: usualSeconds * 1000 },
        (error, stdout) =>
          resolve(masked(`${stdout}${stdout === '' || stdout.endsWith('\n') ? '' : '\n'}${exitOf(error)}`, namespace)),
      )
    })
}

const exitOf = (error: { code?: unknown } | null): string => (error ? `(exit ${error.code})\n` : '')

const masks: readonly [pattern: RegExp, mask: string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, 'TIME'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/\S*\/(LIVE|MERGED)-\d+\//g, '/tmp/$1/'],
  [/(resourceVersion: "|Resource Version: +)\d+/g, '$1REVISION'],
  [/(?<= )\d+(ms|[smh])(\d+s)?(?=\s|$)/gm, 'AGE'],
  [/\+embedded/g, ''],
  // Columns are as wide as what stands in them, and ages and names differ in that.
  [/(?<=\S) {2,}/g, '  '],
]

const masked = (text: string, namespace: string): string =>
  masks.reduce((before, [pattern, mask]) => before.replace(pattern, mask), text.replaceAll(namespace, 'NAMESPACE'))

const follows = async (t: Test, name: string, options: AnyClusterOptions = {}): Promise<void> => {
  const file = join(folder, `${name}.transcript`)
  const shell = await shellFor(t, await anyCluster(t, options))
  const found: Step[] = []
  for (const { command, output } of stepsOf(await readFile(file, 'utf8'))) {
    const now = await shell(command)
    found.push({ command, output: now })
    if (!isRecording) t.equal(now, output, command)
  }
  if (isRecording) await writeFile(file, transcriptOf(found))
}

t.jobs = 5

t.test('FN-70 kubectl on built-in objects, accounts and documentation', { buffered: true }, t => follows(t, 'objects'))

// Discovery of all groups is stale for a moment whenever any story defines a kind; on the remote one nobody else does.
t.test('FN-70 kubectl on a custom kind', { buffered: true }, t => follows(t, 'custom', { remote: true }))

t.test('FN-70 kubectl on a kind with rules', { buffered: true }, t => follows(t, 'rules'))

t.test('FN-70 kubectl on workloads that nobody runs', { buffered: true }, t =>
  follows(t, 'workloads', { remote: true }),
)

t.test('FN-70 kubectl on nodes and events', { buffered: true }, t => follows(t, 'nodes', { remote: true }))

t.test('FN-70 client-node reads, lists, patches and is informed', { buffered: true }, async t => {
  const { kubeconfig, namespace } = await anyCluster(t)
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const labelSelector = 'app=informed'
  const informer = makeInformer(
    config,
    path,
    () => api.listNamespacedConfigMap({ namespace, labelSelector }),
    labelSelector,
  )
  const told: string[] = []
  const next = (event: 'add' | 'update' | 'delete') =>
    new Promise<V1ConfigMap>(resolve => {
      informer.on(event, object => {
        told.push(`${event} ${object.metadata?.name} ${object.data?.color}`)
        resolve(object)
      })
    })
  const added = next('add')
  const updated = next('update')
  const deleted = next('delete')
  await informer.start()
  t.teardown(() => informer.stop())

  const metadata = { name: 'informed', labels: { app: 'informed' } }
  await api.createNamespacedConfigMap({ namespace, body: { metadata, data: { color: 'red' } } })
  await added
  const body = { data: { color: 'blue' } }
  const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
  const patched = await api.patchNamespacedConfigMap({ name: 'informed', namespace, body }, asMerge)
  t.equal(patched.data?.color, 'blue')
  t.equal((await updated).metadata?.resourceVersion, patched.metadata?.resourceVersion)
  t.equal((await api.readNamespacedConfigMap({ name: 'informed', namespace })).data?.color, 'blue')
  t.strictSame(
    (await api.listNamespacedConfigMap({ namespace, labelSelector })).items.map(item => item.metadata?.name),
    ['informed'],
  )
  await api.deleteNamespacedConfigMap({ name: 'informed', namespace })
  await deleted
  t.strictSame(told, ['add informed red', 'update informed blue', 'delete informed blue'])
  await rejects(t, api.readNamespacedConfigMap({ name: 'informed', namespace }), { code: 404 })
})

t.test("FN-70 the Garden's definition refuses what may not change, in its own words", { buffered: true }, async t => {
  const { api } = await anyCluster(t)
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const gardens = '/apis/operator.gardener.cloud/v1alpha1/gardens'
  const definition = parse(await readFile(join(crds, 'operator.gardener.cloud_gardens.yaml'), 'utf8'))
  t.ok([201, 409].includes((await api.call('POST', definitions, { body: definition })).status))
  await api.served(gardens)
  const whole = sample('garden-full')
  const name = `garden-${Date.now()}`
  const made = await api.call('POST', gardens, { body: { ...whole, metadata: { name } } })
  t.equal(made.status, 201, made.text)
  t.teardown(() => api.call('DELETE', `${gardens}/${name}`))
  const spec = { virtualCluster: { gardener: { clusterIdentity: 'another' } } }
  const refused = await api.call('PATCH', `${gardens}/${name}`, {
    body: { spec },
    contentType: 'application/merge-patch+json',
  })
  t.equal(refused.status, 422)
  t.strictSame((refused.body.details as { causes?: unknown }).causes, [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "another": Value is immutable',
      field: 'spec.virtualCluster.gardener.clusterIdentity',
    },
  ])
})
