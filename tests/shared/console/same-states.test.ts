// The command line, the console and the metrics of one host say the same of each object.
import { join } from 'node:path'
import t from 'tap'
import { componentFunction } from '../../../functions/component/index.ts'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { istio } from '../../../functions/istio/index.ts'
import { kyma } from '../../../functions/kyma/index.ts'
import { manifest } from '../../../functions/manifest/index.ts'
import { watcher } from '../../../functions/watcher/index.ts'
import { ourKinds } from '../../../shared/api/our-kinds.ts'
import { groupVersionOf, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { hostContext } from '../../../shared/http/host-context.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { serviceAccountToken } from '../../harness/clusters/service-account.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { testHost } from '../../http/host-parts.ts'
import { garden } from '../../make/garden/garden.ts'
import { watcher as watcherSample } from '../../make/kyma/kyma.ts'

const { cluster, client, namespace: own, kubeconfig } = await commandLine(t)
const landscape = readLandscape(join(import.meta.dirname, '../../../serverless.yml'))
const functions = [componentFunction, gardenReconcile, istio, kyma, manifest, watcher]
const person = { fieldManager: 'person' }

/** Where the functions may list their kinds. */
const placeOf: Readonly<Record<string, string>> = {
  Component: own,
  Garden: '',
  Istio: 'kyma-system',
  Kyma: 'kcp-system',
  Manifest: 'kcp-system',
  Watcher: 'kcp-system',
}

const specs: Readonly<Record<string, object>> = {
  Component: { source: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }] } },
  Garden: garden().spec,
  Kyma: { channel: 'regular' },
  Manifest: { install: { name: 'a', source: { type: 'oci-ref' } }, remote: true },
  Watcher: watcherSample().spec,
}

const since = '2026-03-01T08:00:00Z'
const ready = (status: string) => [
  { type: 'Ready', status, reason: 'R', message: `it is ${status}`, lastTransitionTime: since, lastUpdateTime: since },
]
const statesOf: Readonly<Record<string, readonly string[]>> = {
  Component: ['Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'],
  Garden: ['Pending', 'Processing', 'Succeeded', 'Error', 'Failed', 'Aborted'],
  Istio: ['Processing', 'Deleting', 'Ready', 'Error', 'Warning'],
  Kyma: ['Processing', 'Deleting', 'Ready', 'Error', 'Warning', 'Unmanaged'],
  Manifest: ['Processing', 'Deleting', 'Ready', 'Error', 'Warning', 'Unmanaged'],
  Watcher: ['Processing', 'Deleting', 'Ready', 'Error', 'Warning'],
}

const statusOf = (kind: string, state: string): object => {
  const operation = { operation: `it is ${state}`, lastUpdateTime: since }
  const conditions = ready(['Ready', 'Succeeded'].includes(state) ? 'True' : 'False')
  if (kind !== 'Garden')
    return { state, conditions, ...(['Kyma', 'Manifest'].includes(kind) && { lastOperation: operation }) }
  const lastOperation = { type: 'Reconcile', state, progress: 50, description: `it is ${state}`, lastUpdateTime: since }
  return { lastOperation, conditions, gardener: { id: 'a', name: 'a', version: '1' } }
}

/** One object in each state, one without a status, and one that is suspended. */
const samplesOf = ({
  apiVersion,
  kind,
}: {
  apiVersion: string
  kind: string
}): { object: KubeObject; status?: object }[] =>
  ['', 'held', ...(statesOf[kind] ?? [])].map((state, at) => {
    const annotations: Record<string, string> = state === 'held' ? { [espalierAnnotations.suspended]: 'a person' } : {}
    const metadata = { name: `sample-${at}`, annotations, ...(placeOf[kind] && { namespace: placeOf[kind] }) }
    const object = { apiVersion, kind, metadata, spec: specs[kind] ?? {} }
    return state === '' || state === 'held' ? { object } : { object, status: statusOf(kind, state) }
  })

const textOf = (body: string): string =>
  body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
    .trim()

t.test('SEE-81 SEE-59 the command line, the console and the metrics say the same of all samples', async t => {
  for (const name of ['kyma-system', 'kcp-system'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)
  for (const { object, status } of ourKinds.flatMap(samplesOf)) {
    await client.create(object, person)
    if (status)
      await client.patch(refOf(object), { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
  }
  const account = { namespace: own, name: 'viewer' }
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, person)
  const rbac = 'rbac.authorization.k8s.io'
  await client.create(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: `viewer-${own}` } },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    person,
  )
  const token = await serviceAccountToken(cluster, account, { audience: 'espalier' })
  const host = testHost({
    functions,
    landscape,
    context: hostContext(landscape, { clusters: clusters({ local: client }) }),
    console: { local: client, audience: 'espalier', certificates: () => [] },
  })
  t.teardown(() => host.console?.app.close())

  const listed = await Promise.all(
    [...new Set(Object.values(placeOf))].map(place =>
      runCommand(commands, ['get', '-o', 'json', '--kubeconfig', kubeconfig, '-n', place || own]),
    ),
  )
  const told: Told[] = [
    ...new Map(listed.flatMap(({ out }) => JSON.parse(out) as Told[]).map(one => [one.object, one])).values(),
  ]
  t.equal(told.length, ourKinds.flatMap(samplesOf).length)
  t.strictSame([...new Set(told.map(({ is }) => is))].sort(), ['deleting', 'failed', 'ready', 'suspended', 'waiting'])

  const page = async () =>
    (await host.console?.app.inject({ method: 'GET', url: '/', headers: { authorization: `Bearer ${token}` } }))
      ?.body ?? ''
  await eventually('the console has read everything', async () => !/still being read/.test(await page()))
  const rows = [...(await page()).matchAll(/<li class="row (\w+)">([\s\S]*?)<\/li>/g)].map(([, is, row = '']) => ({
    object: textOf(/<a class="object"[\s\S]*?<\/a>/.exec(row)?.[0] ?? ''),
    is,
    since: /<time datetime="([^"]*)"/.exec(row)?.[1],
    says: textOf(/<p class="says">([\s\S]*)<\/p>/.exec(row)?.[1] ?? ''),
  }))
  const byName = (one: { object: string }, other: { object: string }) => one.object.localeCompare(other.object)
  t.strictSame(
    rows.sort(byName),
    told
      .map(({ object, is, since, says: [sentence = ''] }) => ({
        object,
        is,
        since,
        says: is === 'ready' ? '' : sentence,
      }))
      .sort(byName),
  )

  const metrics = (await host.functions.inject('/metrics')).body
  const series = [...metrics.matchAll(/^espalier_object_state\{(.*)\} 1$/gm)].map(([, text = '']) =>
    Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  )
  const groups = new Map(ourKinds.map(({ apiVersion, kind }) => [kind, groupVersionOf(apiVersion).group]))
  t.strictSame(
    series
      .map(({ group, kind = '', namespace = '', name = '', state }) => {
        t.equal(group, groups.get(kind))
        return { object: refText({ apiVersion: '', kind, namespace, name }), is: state }
      })
      .sort(byName),
    told.map(({ object, is }) => ({ object, is })).sort(byName),
  )
})

type Told = { object: string; is: string; since: string; says: string[] }

t.test('SEE-59 a kind that cannot be read is not shown, and the others are', async t => {
  const refusing = altered(client, real => ({
    list: query => (query.kind === 'Kyma' ? Promise.reject(new Error('refused')) : real.list(query)),
  }))
  const context = hostContext(landscape, { clusters: clusters({ local: refusing }) })
  const { functions: app } = testHost({ functions: [componentFunction, kyma], landscape, context })
  const lines = (await app.inject('/metrics')).body
    .split('\n')
    .filter(line => line.startsWith('espalier_object_state{'))
  matches(t, [...new Set(lines.map(line => /kind="(\w+)"/.exec(line)?.[1]))], ['Component'])
})
