// The stand-ins for operators that a Garden needs, each against hand-written objects: what they set, answer and copy, what goes with its
// owner, and that they rest when nothing changes.
import { setTimeout as wait } from 'node:timers/promises'

import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { managedResource } from '../../../functions/garden-reconcile/desired/parts/config-object.ts'
import { nginxIngress } from '../../../functions/garden-reconcile/desired/runtime/nginx-ingress.ts'
import { runtimeObjects } from '../../../functions/garden-reconcile/gather/runtime-objects.ts'
import { fullSnapshots } from '../../../functions/garden-reconcile/io/full-snapshots.ts'
import { tokenSecretSteps } from '../../../functions/garden-reconcile/rules/token-secrets.ts'
import { etcdKind, managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import { loadBalancer, runBackupSidecar } from '../../../shared/embedded/garden/backup-sidecar.ts'
import { druid } from '../../../shared/embedded/garden/druid.ts'
import { gardenlet } from '../../../shared/embedded/garden/gardener.ts'
import { healthOf, whileAvailable } from '../../../shared/embedded/garden/health.ts'
import { managedResources } from '../../../shared/embedded/garden/managed-resources.ts'
import { runStandIn, type StandIn } from '../../../shared/embedded/garden/stand-in.ts'
import { tokenRequests } from '../../../shared/embedded/garden/token-requests.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { define, testCrd } from '../../harness/clusters/test-definitions.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { until } from '../../harness/until.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { mountedSecret } from '../../make/garden/virtual-garden.ts'

const namespace = 'garden'
const person = { fieldManager: 'person' }

const cluster = async (node: boolean): Promise<Client> => {
  const embedded = await startEmbeddedCluster(node ? { node: { stepMilliseconds: 0 } } : {})
  const verdict = parseKubeconfig(embedded.kubeconfig, { allowedHosts: ['127.0.0.1'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const client = createClient(verdict.access)
  t.teardown(async () => {
    await client.close()
    await embedded.stop()
  })
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  return client
}

const [runtime, virtual] = await Promise.all([cluster(true), cluster(false)])
await Promise.all(['managedresources' as const, 'etcds' as const].map(name => define(runtime, testCrd(name))))

const standing = (t: Test, ...standIns: StandIn[]): void => {
  const stops = standIns.map(runStandIn)
  t.teardown(() => Promise.all(stops.map(stop => stop())))
}

const refTo = (object: { apiVersion: string; kind: string }, name: string, of = namespace): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: of,
  name,
})

const becomes = (
  client: Client,
  ref: ObjectRef,
  isDesired: (found: KubeObject) => boolean,
): Promise<KubeObject | undefined> =>
  until(
    () => client.get(ref),
    found => found !== undefined && isDesired(found),
    20,
  )

const goes = (client: Client, ref: ObjectRef): Promise<KubeObject | undefined> =>
  until(
    () => client.get(ref),
    found => found === undefined,
    20,
  )

const applyAll = async (client: Client, objects: readonly KubeObject[]): Promise<void> => {
  for (const object of objects) await client.apply(object, { ...person, force: true })
}

type Condition = { readonly type: string; readonly status: string }
const statusOf = (object: KubeObject, type: string): string | undefined =>
  (object.status as { conditions?: Condition[] } | undefined)?.conditions?.find(one => one.type === type)?.status

const isWell = (object: KubeObject): boolean =>
  statusOf(object, 'ResourcesApplied') === 'True' &&
  statusOf(object, 'ResourcesHealthy') === 'True' &&
  statusOf(object, 'ResourcesProgressing') === 'False'

const deployment = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'example.com/app:1' }] } },
  },
})

const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

/** Nothing is written any more: the object is the same after a while. */
const rests = async (t: Test, client: Client, ref: ObjectRef): Promise<void> => {
  const before = await client.get(ref)
  await wait(300)
  t.equal((await client.get(ref))?.metadata.resourceVersion, before?.metadata.resourceVersion, 'rests')
}

t.test('a load balancer gives an address to a Service that wants one', async t => {
  standing(t, loadBalancer(runtime))
  const service = (name: string, type: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { type, ports: [{ port: 443 }] },
  })
  await applyAll(runtime, [service('outside', 'LoadBalancer'), service('inside', 'ClusterIP')])
  const ref = refTo({ apiVersion: 'v1', kind: 'Service' }, 'outside')
  const isAddressed = ({ status }: KubeObject) => JSON.stringify(status).includes('192.0.2.10')
  const found = await becomes(runtime, ref, isAddressed)
  matches(t, found?.status, { loadBalancer: { ingress: [{ ip: '192.0.2.10' }] } })
  matches(t, (await runtime.get({ ...ref, name: 'inside' }))?.status, { loadBalancer: {} })
  await rests(t, runtime, ref)
})

const etcd = (more: object = {}): KubeObject => ({
  ...etcdKind,
  metadata: { name: 'main', namespace, annotations: { 'gardener.cloud/operation': 'reconcile' } },
  spec: {
    replicas: 1,
    labels: { role: 'main' },
    volumeClaimTemplate: 'main-etcd',
    storageCapacity: '10Gi',
    etcd: { clientUrlTls: { serverTLSSecretRef: { name: 'etcd-server-1' } } },
    ...more,
  },
})
const etcdRef = refTo(etcdKind, 'main')
const setRef = refTo({ apiVersion: 'apps/v1', kind: 'StatefulSet' }, 'main')
const claimRef = refTo({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'main-etcd-main-0')
const isAsked = ({ metadata }: KubeObject) => metadata.annotations?.['gardener.cloud/operation'] !== undefined
const isReady = ({ status }: KubeObject) => (status as { ready?: boolean } | undefined)?.ready === true

t.test(
  'the backup sidecar of the main etcd takes snapshots for clients that the Etcd names, with renewed certificates too',
  async t => {
    const [host, name] = ['127.0.0.1', 'virtual-garden-etcd-main']
    const [port = 0] = await freePorts(1)
    t.teardown(runBackupSidecar({ runtime, namespace, host, port }))
    const [authority, other] = await Promise.all([newAuthority('ca-etcd'), newAuthority('ca-etcd')])
    const served = async (from = authority) => {
      const { certificate, key } = await from.serving({ dns: [`${name}-client.${namespace}`] })
      return mountedSecret('etcd-server', { 'tls.crt': certificate, 'tls.key': key })
    }
    const shown = async (from = authority) => {
      const { certificate, key } = await from.client({ user: 'etcd-client' })
      return mountedSecret('etcd-client', { 'tls.crt': certificate, 'tls.key': key })
    }
    const bundle = `${authority.certificate}\n${other.certificate}`
    const tls = {
      tlsCASecretRef: { name: 'ca-etcd-bundle', dataKey: 'bundle.crt' },
      serverTLSSecretRef: { name: 'etcd-server' },
      clientTLSSecretRef: { name: 'etcd-client' },
    }
    const main = { ...etcd({ backup: { tls } }), metadata: { name, namespace } }
    const authorities = mountedSecret('ca-etcd-bundle', { 'bundle.crt': authority.certificate })
    await applyAll(runtime, [authorities, await served(), await shown(), main])
    const taken = () => {
      const reach = {
        clusters: { of: async () => runtime },
        lastPassAt: performance.now() + 5_000,
        dialAt: `${host}:${port}`,
      }
      return fullSnapshots(reach)(main).then(() => '', String)
    }
    t.equal(await until(taken, said => said === ''), '')
    await applyAll(runtime, [await shown(other)])
    matches(t, await taken(), /was not taken/)
    await applyAll(runtime, [mountedSecret('ca-etcd-bundle', { 'bundle.crt': bundle }), await served(other)])
    t.equal(await until(taken, said => said === ''), '')
    await runtime.delete(refTo(etcdKind, name), {})
    matches(t, await until(taken, said => said !== ''), /ECONNREFUSED/)
  },
)

t.test('druid makes a StatefulSet of an Etcd and says when it is ready', async t => {
  standing(t, druid(runtime))
  await runtime.apply(etcd(), person)
  const ready = await becomes(runtime, etcdRef, one => isReady(one) && !isAsked(one))
  matches(t, ready?.status, { ready: true, observedGeneration: 1, replicas: 1, readyReplicas: 1 })
  t.equal(ready && statusOf(ready, 'BackupReady'), 'True')
  matches(t, (await runtime.get(claimRef))?.spec, { resources: { requests: { storage: '10Gi' } } })
  t.ok(await runtime.get(refTo({ apiVersion: 'v1', kind: 'Service' }, 'main-client')), 'Service for clients')
  await rests(t, runtime, etcdRef)
})

t.test('druid takes over a changed Etcd when it is asked to', async t => {
  standing(t, druid(runtime))
  const { annotations: _, ...metadata } = etcd().metadata
  const renewed = etcd({ etcd: { clientUrlTls: { serverTLSSecretRef: { name: 'etcd-server-2' } } } })
  await runtime.patch(etcdRef, { type: 'merge', body: { metadata, spec: renewed.spec } }, person)
  await wait(200)
  lacks(t, JSON.stringify((await runtime.get(setRef))?.spec), 'etcd-server-2')
  await runtime.apply(renewed, { ...person, force: true })
  const ready = await becomes(runtime, etcdRef, one => isReady(one) && !isAsked(one))
  matches(t, ready?.status, { observedGeneration: 2 })
  contains(t, JSON.stringify((await runtime.get(setRef))?.spec), 'etcd-server-2')
})

t.test('an Etcd that is deleted goes after its StatefulSet', async t => {
  standing(t, druid(runtime))
  await runtime.delete(etcdRef, {})
  t.equal(await goes(runtime, etcdRef), undefined)
  t.equal(await runtime.get(setRef), undefined)
})

const managed = (name: string) => refTo(managedResourceKind, name)

t.test('contents of class seed come to the runtime cluster and go with their ManagedResource', async t => {
  standing(t, managedResources({ class: 'seed', source: runtime, target: runtime }))
  const contents = [deployment('web'), configMap('web', { a: '1' })]
  await applyAll(runtime, managedResource('web', { where: 'runtime', objects: contents }))
  const well = await becomes(runtime, managed('web'), isWell)
  matches(t, well?.status, { observedGeneration: 1 })
  t.equal(well && statusOf(well, 'ResourcesHealthy'), 'True', 'its Deployment is available')
  await rests(t, runtime, managed('web'))

  const others = [configMap('web', { a: '2' })]
  await applyAll(runtime, managedResource('web', { where: 'runtime', objects: others }))
  t.equal(await goes(runtime, refTo(deployment('web'), 'web')), undefined, 'what is no longer in it goes')
  await becomes(runtime, managed('web'), one => isWell(one) && one.metadata.generation === 2)
  matches(t, (await runtime.get(refTo(configMap('web', {}), 'web')))?.data, { a: '2' })

  await runtime.delete(managed('web'), {})
  t.equal(await goes(runtime, managed('web')), undefined)
  t.equal(await runtime.get(refTo(configMap('web', {}), 'web')), undefined)
})

t.test('a Deployment that does not run yet is told by the ManagedResource', async t => {
  const known = { all: () => [], find: () => deployment('web') }
  t.strictSame(healthOf(known, [refTo(deployment('web'), 'web')]), [
    {
      type: 'ResourcesHealthy',
      status: 'False',
      reason: 'DeploymentUnhealthy',
      message: 'Deployment "web" is unhealthy',
    },
    {
      type: 'ResourcesProgressing',
      status: 'True',
      reason: 'DeploymentProgressing',
      message: 'web is rolled out',
    },
  ])
})

/** The ManagedResource of nginx-ingress with nothing but the Service that the world reaches it by. */
const ingressService = (annotations: Record<string, string>): KubeObject[] => {
  const settings = { loadBalancerServices: { annotations } }
  const world = gardenWorld({ garden: garden({ spec: { runtimeCluster: { settings } } }) })
  const contents = managedContents(nginxIngress(world), 'nginx-ingress')
  const objects = contents.filter(({ spec }) => (spec as { type?: string } | undefined)?.type === 'LoadBalancer')
  return managedResource('nginx-ingress', { where: 'runtime', objects })
}

t.test('GA-79 annotations that others put on a Service stay when the settings for load balancers change', async t => {
  standing(t, managedResources({ class: 'seed', source: runtime, target: runtime }))
  const ref = refTo({ apiVersion: 'v1', kind: 'Service' }, 'nginx-ingress-controller')
  const annotated = (key: string, value: string) => (one: KubeObject) => one.metadata.annotations?.[key] === value
  await applyAll(runtime, ingressService({ cost: 'low', zone: 'a' }))
  t.ok(await becomes(runtime, ref, annotated('cost', 'low')))
  await runtime.patch(ref, { type: 'merge', body: { metadata: { annotations: { foreign: 'kept' } } } }, person)
  await applyAll(runtime, ingressService({ cost: 'high' }))
  const { annotations } = (await becomes(runtime, ref, annotated('cost', 'high')))?.metadata ?? {}
  t.strictSame([annotations?.foreign, annotations?.zone], ['kept', undefined])
})

t.test(
  'a Secret that is missing, and contents that nobody can apply, are told; so is that they came later',
  async t => {
    standing(t, managedResources({ class: 'seed', source: runtime, target: runtime }))
    const crd: KubeObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'figs.test.io' },
      spec: {
        group: 'test.io',
        scope: 'Namespaced',
        names: { plural: 'figs', singular: 'fig', kind: 'Fig', listKind: 'FigList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }
    const fig = { apiVersion: 'test.io/v1', kind: 'Fig', metadata: { name: 'fig', namespace } }
    const [secret, resource] = managedResource('figs', { where: 'runtime', objects: [fig] })
    if (!secret || !resource) throw new Error('no ManagedResource')
    await runtime.apply(resource, person)
    const isUnread = (one: KubeObject) => JSON.stringify(one.status).includes('CannotReadSecret')
    t.ok(await becomes(runtime, managed('figs'), one => one.status !== undefined && isUnread(one)), 'no Secret')
    await runtime.apply(secret, person)
    const isFailed = (one: KubeObject) => JSON.stringify(one.status).includes('ApplyFailed')
    const failed = await becomes(runtime, managed('figs'), isFailed)
    contains(t, JSON.stringify(failed?.status), 'Could not apply Fig fig')
    await define(runtime, crd)
    await becomes(runtime, managed('figs'), isWell)
    t.ok(await runtime.get(refTo(fig, 'fig')))
  },
)

t.test('contents without class come to the virtual garden with their labels, and stay where they shall', async t => {
  standing(t, managedResources({ class: '', source: runtime, target: virtual }))
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.core.gardener.cloud' },
  }
  const kept = managedResource('kept', {
    where: 'virtual',
    objects: [configMap('kept', {}), service],
    keepObjects: true,
  })
  const gone = managedResource('gone', { where: 'virtual', objects: [configMap('gone', {})] })
  await applyAll(runtime, [...kept, ...gone])
  await becomes(runtime, managed('kept'), isWell)
  await becomes(runtime, managed('gone'), isWell)
  const ref = refTo(configMap('', {}), 'kept')
  matches(t, (await virtual.get(ref))?.metadata.labels, { 'shoot.gardener.cloud/no-cleanup': 'true' })
  t.equal(await runtime.get(ref), undefined, 'not in the runtime cluster')
  for (const name of ['kept', 'gone']) await runtime.delete(managed(name), {})
  for (const name of ['kept', 'gone']) t.equal(await goes(runtime, managed(name)), undefined)
  t.ok(await virtual.get(ref), 'kept')
  t.equal(await virtual.get({ ...ref, name: 'gone' }), undefined)
})

const asking = (name: string, forClass?: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    labels: {
      'resources.gardener.cloud/purpose': 'token-requestor',
      ...(forClass !== undefined && { 'resources.gardener.cloud/class': forClass }),
    },
    annotations: {
      'serviceaccount.resources.gardener.cloud/name': name,
      'serviceaccount.resources.gardener.cloud/namespace': 'kube-system',
      'serviceaccount.resources.gardener.cloud/token-expiration-duration': '3h',
    },
  },
  data,
})
const tokenOf = ({ data }: KubeObject): string =>
  Buffer.from((data as Record<string, string> | undefined)?.token ?? '', 'base64').toString()
const secretRef = (name: string) => refTo({ apiVersion: 'v1', kind: 'Secret' }, name)
const renewal = 'serviceaccount.resources.gardener.cloud/token-renew-timestamp'

t.test('Secrets of class shoot get a token of the virtual garden, and a new one when they lose its time', async t => {
  standing(t, tokenRequests({ source: runtime, target: virtual, namespace }))
  await applyAll(runtime, [asking('client', 'shoot'), asking('other', 'garden')])
  const given = await becomes(runtime, secretRef('client'), one => tokenOf(one) !== '')
  const first = given ? tokenOf(given) : ''
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: first } }
  const answer = await virtual.raw({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: review,
  })
  matches(t, answer, {
    status: { authenticated: true, user: { username: 'system:serviceaccount:kube-system:client' } },
  })
  const minutes = (Date.parse(given?.metadata.annotations?.[renewal] ?? '') - Date.now()) / 60_000
  t.ok(minutes > 140 && minutes < 146, 'renewed after four fifths of three hours')
  await rests(t, runtime, secretRef('client'))
  const body = { metadata: { annotations: { [renewal]: null } } }
  await runtime.patch(secretRef('client'), { type: 'merge', body }, person)
  t.ok(await becomes(runtime, secretRef('client'), one => tokenOf(one) !== first), 'renewed')
  matches(t, (await runtime.get(secretRef('other')))?.data, undefined, 'another class gets none')
})

t.test(
  'GA-164 third parties get tokens in namespace garden, and whoever names another class is left alone',
  async t => {
    standing(t, tokenRequests({ source: runtime, target: virtual, namespace }))
    const elsewhere = asking('elsewhere')
    elsewhere.metadata.namespace = 'default'
    await applyAll(runtime, [
      asking('without-class'),
      asking('of-shoots', 'shoot'),
      asking('of-seeds', 'seed'),
      elsewhere,
    ])
    const others = [secretRef('of-seeds'), { ...secretRef('elsewhere'), namespace: 'default' }]
    const before = await Promise.all(others.map(ref => runtime.get(ref)))
    const steps = tokenSecretSteps(gardenWorld({ runtime: await runtimeObjects(runtime) }))
    for (const step of steps)
      if (step.do === 'patch') await runtime.patch(refOf(step.target), { type: 'merge', body: step.merge }, person)
    for (const name of ['without-class', 'of-shoots']) {
      const given = await becomes(runtime, secretRef(name), one => tokenOf(one) !== '')
      t.ok(given && tokenOf(given), name)
      t.equal(given?.metadata.labels?.['resources.gardener.cloud/class'], 'shoot')
    }
    t.strictSame(await Promise.all(others.map(ref => runtime.get(ref))), before)
  },
)

t.test('a kubeconfig gets the token inside', async t => {
  standing(t, tokenRequests({ source: runtime, target: virtual, namespace }))
  const kubeconfig = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'garden',
    clusters: [{ name: 'garden', cluster: { server: 'https://api.example.com' } }],
    contexts: [{ name: 'garden', context: { cluster: 'garden', user: 'me' } }],
    users: [{ name: 'me', user: {} }],
  })
  await runtime.apply(asking('gardener', 'shoot', { kubeconfig: Buffer.from(kubeconfig).toString('base64') }), person)
  const textIn = ({ data }: KubeObject) => Buffer.from((data as { kubeconfig: string }).kubeconfig, 'base64').toString()
  const given = await becomes(runtime, secretRef('gardener'), one => textIn(one).includes('token'))
  matches(t, given && parse(textIn(given)), {
    clusters: [{ cluster: { server: 'https://api.example.com' } }],
    users: [{ name: 'me', user: { token: /^ey/ } }],
  })
})

t.test('gardenlet takes the operation off a Seed', async t => {
  standing(t, gardenlet(virtual))
  const kind = { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Seed' }
  await define(virtual, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'seeds.core.gardener.cloud' },
    spec: {
      group: 'core.gardener.cloud',
      scope: 'Cluster',
      names: { plural: 'seeds', singular: 'seed', kind: 'Seed', listKind: 'SeedList' },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  const annotations = { 'gardener.cloud/operation': 'renew-kubeconfig', other: 'stays' }
  await virtual.apply({ ...kind, metadata: { name: 'seed', annotations } }, person)
  const found = await becomes(
    virtual,
    refTo(kind, 'seed', ''),
    ({ metadata }) => metadata.annotations?.other !== undefined && Object.keys(metadata.annotations).length === 1,
  )
  t.strictSame(found?.metadata.annotations, { other: 'stays' })
})

t.test('a stand-in whose Deployment is not available does nothing', async t => {
  const at = { client: runtime, namespace, name: 'operator' }
  standing(t, whileAvailable(managedResources({ class: 'seed', source: runtime, target: runtime }), at))
  await applyAll(runtime, managedResource('late', { where: 'runtime', objects: [configMap('late', {})] }))
  await wait(300)
  t.equal((await runtime.get(managed('late')))?.status, undefined, 'nobody is there')
  await runtime.apply(deployment('operator'), person)
  t.ok(await becomes(runtime, managed('late'), isWell))
})
