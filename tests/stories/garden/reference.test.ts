/**
 * garden-reference through the loop on a cluster: events arrive in every order, and what a Garden refers to cannot be
 * deleted under it. The cluster may be shared, so every story has a Garden, Secrets and ConfigMaps of its own.
 */

import t, { type Test } from 'tap'
import { gardenReference } from '../../../functions/garden-reference/index.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import { gardenKind } from '../../../shared/api/garden.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { type Key, type KubeObject, keyOf, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { served } from '../../harness/clusters/test-definitions.ts'
import { lasting } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { type Garden, garden, referenced } from '../../make/garden/garden.ts'

const ours = 'gardener.cloud/reference-protection'
const others = 'example.com/takes-it-down'
const fieldManager = 'person'

t.test('garden-reference on a cluster', async t => {
  const client = await preparedCluster(t)
  const people = peopleAt(client)
  const finalizersOf = async (object: KubeObject) => (await people.read(object))?.metadata.finalizers

  t.test('GA-129 GA-131 events in every order: all is protected in the end', async t => {
    for (const order of permutations(['Secret', 'ConfigMap', 'Garden'])) {
      const name = order.join('-').toLowerCase()
      const objects = [secret(name), configMap(name), referring({ backup: name, audit: name }, name)]
      for (const kind of order) await people.create(theOne(objects, kind))
      for (const object of objects) t.strictSame(await finalizersOf(object), [ours], `${object.kind} after ${name}`)
      const told = await eventsAbout(client, name)
      t.strictSame(
        told.length > 0,
        order.at(-1) !== 'Garden',
        'people are told of what is missing, and of nothing else',
      )
    }
  })

  t.test('GA-131 one missing: others protected, told once and counted, asked for again in 30 s', async t => {
    const subject = referring({ backup: 'missing', audit: 'missing' }, 'missing')
    await people.create(configMap('missing'))
    const waits = { outcome: 'waiting', requeueAfterSeconds: 30, reason: 'Secret garden/missing' }
    matches(t, await people.create(subject), [waits])
    t.strictSame(await finalizersOf(configMap('missing')), [ours])
    matches(t, await called(client, keyOf(subject)), waits)
    matches(t, await eventsAbout(client, 'missing'), [{ type: 'Warning', reason: 'ReferencedObjectMissing', count: 2 }])
    await people.create(secret('missing'))
    t.strictSame(await finalizersOf(secret('missing')), [ours])
  })

  t.test('GA-132 a protected object survives its deletion, with its content, until nothing refers to it', async t => {
    const subject = referring({ backup: 'deleted' }, 'deleted')
    await people.create(secret('deleted'))
    await people.create(subject)
    await people.delete(secret('deleted'))
    const held = await people.read(secret('deleted'))
    matches(t, held, { metadata: { deletionTimestamp: String, finalizers: [ours] }, data: { key: 'dmFsdWU=' } })
    await people.change(subject, { spec: references({}) })
    t.equal(await people.read(secret('deleted')), undefined)
    t.equal(await finalizersOf(subject), undefined, 'the Garden stands for nothing any more')
  })

  t.test('GA-130 under two fields, replaced, none left', async t => {
    const subject = referring({ backup: 'old', sni: 'twice', audit: 'old' }, 'replaced')
    for (const object of [secret('old'), secret('twice'), configMap('old'), secret('new'), subject])
      await people.create(object)
    await people.change(subject, { spec: references({ backup: 'new', sni: 'twice' }) })
    t.strictSame(await finalizersOf(secret('new')), [ours])
    for (const dropped of [secret('old'), configMap('old')]) t.equal(await finalizersOf(dropped), undefined)
    await people.change(subject, { spec: references({ backup: 'twice', sni: 'twice' }) })
    await people.change(subject, { spec: references({ backup: 'twice' }) })
    t.strictSame(await finalizersOf(secret('twice')), [ours], 'the other field still names it')
    await people.change(subject, { spec: references({}) })
    for (const object of [secret('twice'), secret('new'), subject]) t.equal(await finalizersOf(object), undefined)
  })

  t.test(
    'GA-133 GA-134 in deletion all stays until only ours is left; then the objects go free, the Garden last',
    async t => {
      const subject = referring({ backup: 'leaving', audit: 'leaving' }, 'leaving')
      subject.metadata.finalizers = [others]
      for (const object of [secret('leaving'), configMap('leaving'), subject]) await people.create(object)
      matches(t, await people.delete(subject), [{ outcome: 'waiting', reason: `finalizers of others: ${others}` }])
      for (const object of [secret('leaving'), configMap('leaving')]) t.strictSame(await finalizersOf(object), [ours])

      const unlucky = peopleAt(refusingToPatch(client, 'ConfigMap'))
      matches(t, await unlucky.change(subject, { metadata: { finalizers: [ours] } }), [{ outcome: 'failed' }])
      t.equal(await finalizersOf(secret('leaving')), undefined, 'one failure does not stop the others')
      t.strictSame(await finalizersOf(subject), [ours], 'the Garden waits for the last of them')

      matches(t, await called(client, keyOf(subject)), { outcome: 'settled' })
      t.equal(await finalizersOf(configMap('leaving')), undefined)
      t.equal(await people.read(subject), undefined)
    },
  )

  t.test('what another Garden refers to stays protected when this one goes', async t => {
    const [leaving, staying] = [referring({ backup: 'shared' }, 'first'), referring({ sni: 'shared' }, 'second')]
    for (const object of [secret('shared'), leaving, staying]) await people.create(object)
    await people.delete(leaving)
    t.equal(await people.read(leaving), undefined)
    t.strictSame(await finalizersOf(secret('shared')), [ours])
  })

  t.test('a call that finds nothing to do writes nothing', async t => {
    const subject = referring({ backup: 'quiet' }, 'quiet')
    for (const object of [secret('quiet'), subject]) await people.create(object)
    const versions = async () => [await people.read(subject), await people.read(secret('quiet'))].map(versionOf)
    const before = await versions()
    matches(t, await called(client, keyOf(subject)), { outcome: 'settled' })
    t.strictSame(await versions(), before)
  })
})

/** People who change things, and the relay, which at once calls garden-reference for whom the change concerns. */
function peopleAt(client: Client) {
  const tell = async (object: KubeObject): Promise<Outcome[]> => {
    const isGarden = object.kind === 'Garden'
    const keys = isGarden
      ? [keyOf(object)]
      : await gardenReference.keys?.(object, await gatherContext(contextOf(client), gardenReference, {}), 'MODIFIED')
    return Promise.all((keys ?? []).map(key => calledUntilQuiet(client, key)))
  }
  const read = (object: KubeObject) => client.get(refOf(object))
  return {
    read,
    create: async (object: KubeObject) => tell(await client.create(object, { fieldManager })),
    change: async (object: KubeObject, merge: object) =>
      tell(await client.patch(refOf(object), { type: 'merge', body: merge }, { fieldManager })),
    delete: async (object: KubeObject) => {
      await client.delete(refOf(object), {})
      return tell((await read(object)) ?? object)
    },
  }
}

/** Called again at once as often as the function asks for that: when it was overtaken. */
async function calledUntilQuiet(client: Client, key: Key): Promise<Outcome> {
  const outcome = await called(client, key)
  return outcome.requeueAfterSeconds === 0 ? calledUntilQuiet(client, key) : outcome
}

/** One call of the function, as the host makes it. */
function called(client: Client, key: Key): Promise<Outcome> {
  return reconcile(gardenReference, key, {
    ...contextOf(client),
    ...lasting(120),
    now: () => new Date(),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  })
}

function contextOf(client: Client) {
  return processContext({ clusters: oneCluster(client) })
}

/** The API server, but out of order for patches of this kind. */
function refusingToPatch(client: Client, kind: string): Client {
  return altered(client, real => ({
    patch: async (ref, ...rest) => {
      if (ref.kind === kind) throw new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' })
      return real.patch(ref, ...rest)
    },
  }))
}

async function preparedCluster(t: Test): Promise<Client> {
  const client = clientTo(t, await anyCluster(t))
  await client.apply(gardenCrd(), { fieldManager, force: true })
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'garden' } }
  await client.apply(namespace, { fieldManager })
  await served(client, gardenKind)
  return client
}

type References = { backup?: string; sni?: string; audit?: string }

function referring(names: References, name: string): Garden {
  return garden({ metadata: { name }, spec: references(names) })
}

/** What a spec says of these fields, as a merge patch: what is not named is taken away. */
function references({ backup, sni, audit }: References) {
  return {
    virtualCluster: {
      etcd: { main: { backup: backup ? { provider: 'local', secretRef: { name: backup } } : null } },
      kubernetes: {
        kubeAPIServer: {
          sni: sni ? { secretName: sni } : null,
          auditConfig: audit ? { auditPolicy: { configMapRef: { name: audit } } } : null,
        },
      },
    },
  }
}

function secret(name: string): KubeObject {
  return { ...referenced('Secret', name), data: { key: 'dmFsdWU=' } }
}

function configMap(name: string): KubeObject {
  return referenced('ConfigMap', name)
}

function theOne(objects: readonly KubeObject[], kind: string): KubeObject {
  const found = objects.find(object => object.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found
}

async function eventsAbout(client: Client, gardenName: string): Promise<KubeObject[]> {
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' })
  return events.filter(({ involvedObject }) => {
    const { kind, name } = involvedObject as { kind?: string; name?: string }
    return kind === 'Garden' && name === gardenName
  })
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.resourceVersion
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map(rest => [item, ...rest]))
}
