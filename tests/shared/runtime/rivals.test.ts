// Whose a runtime is that two Kymas may have, where some of the reads that tell it fail.
import t from 'tap'
import { gatherRuntime } from '../../../functions/kyma/gather/runtime.ts'
import { kymaSettings } from '../../../functions/kyma/settings.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { AccessError, ConnectionError } from '../../../shared/kube/errors.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { copiesOfOthers, isBeside, rivalOf } from '../../../shared/runtime/rivals.ts'
import { rejects } from '../../harness/matches.ts'
import { kyma } from '../../make/kyma/kyma.ts'

const away = new ConnectionError('silent', 'ETIMEDOUT', 'the API server is silent')
const failing = { get: () => Promise.reject(away), list: () => Promise.reject(away) } as unknown as Client

/** A cluster that holds these. */
const holding = (uid: string, ...objects: readonly KubeObject[]): Client => {
  const all = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid } }, ...objects]
  const isOf = (kind: string) => (object: KubeObject) => object.kind === kind
  return {
    get: async ({ kind, name }: { kind: string; name: string }) =>
      all.filter(isOf(kind)).find(({ metadata }) => metadata.name === name),
    list: async ({ kind }: { kind: string }) => all.filter(isOf(kind)),
  } as unknown as Client
}

const [own, other] = ['own', 'other'].map(name => kyma({ metadata: { name }, spec: { remote: { namespace: name } } }))
if (!own || !other) throw new Error('two Kymas')
const note = { [kymaNames.annotations.ownedBy]: 'kcp-system/other' }
const copy = { ...kymaKind, metadata: { name: 'default', namespace: 'own', annotations: note }, spec: {} }
const here = holding('here', copy)

const leading = (to: Client | Error) => ({
  of: async () => {
    if (to instanceof Error) throw to
    return to
  },
})

t.test('KY-231 a Kyma whose cluster cannot be asked may have the runtime, one that has no access does not', async t => {
  const refused = new AccessError('Refused', 'the host is not allowed', 'x')
  const rows: [what: string, to: Client | Error, client: Client, counts: boolean][] = [
    ['the same cluster', here, here, true],
    ['another one', holding('there'), here, false],
    ['a silent one', failing, here, true],
    ['one whose kubeconfig is refused', refused, here, true],
    ['the runtime itself is silent', here, failing, true],
    ['no access Secret', new AccessError('Missing', 'access secret not found'), here, false],
    ['an API server that cannot tell of the access Secret', away, here, true],
  ]
  const reads = holding('control plane', other)
  for (const [what, to, client, counts] of rows) {
    const rival = await rivalOf(
      { namespace: 'kcp-system', name: 'own' },
      { copy, reads, client, clusters: leading(to) },
    )
    t.equal(rival?.name, counts ? 'other' : undefined, what)
    for (const one of [own, undefined])
      t.equal(
        await isBeside(one, other, { client, clusters: leading(to) }),
        counts,
        `beside ${one?.metadata.name}: ${what}`,
      )
  }
})

t.test('KY-231 nothing is said of a runtime as long as the Kyma that its copy names cannot be read', async t => {
  const context = { memory: processMemory(), settings: defaultValues(kymaSettings), clusters: leading(here) }
  await rejects(t, gatherRuntime(own, { ...context, reads: failing }), away)
  t.equal((await gatherRuntime(own, { ...context, reads: holding('control plane', other) })).is, 'taken')
  t.equal((await gatherRuntime(own, { ...context, reads: holding('control plane') })).is, 'there')
})

t.test('KY-241 a copy that names what no Kyma with a runtime is called names nobody, and nothing is read', async t => {
  const key = { namespace: 'kcp-system', name: 'own' }
  const noted = (owner: string) => ({
    ...copy,
    metadata: { ...copy.metadata, annotations: { [kymaNames.annotations.ownedBy]: owner } },
  })
  const looking = { reads: failing, client: here, clusters: leading(here) }
  for (const name of ['..', '.', '', 'a,b', 'x'.repeat(64)])
    t.equal(await rivalOf(key, { ...looking, copy: noted(`kcp-system/${name}`) }), undefined, name)
  await rejects(t, rivalOf(key, { ...looking, copy: noted('kcp-system/other') }), away)
})

const copyFor = (owner: string | undefined): KubeObject => ({
  ...copy,
  metadata: {
    ...copy.metadata,
    namespace: 'else',
    annotations: owner ? { [kymaNames.annotations.ownedBy]: owner } : {},
  },
})

t.test('KY-84 KY-228 KY-289 which copies in a runtime are those of other Kymas', async t => {
  const key = { namespace: 'kcp-system', name: 'own' }
  const going = kyma({ ...other, metadata: { ...other.metadata, deletionTimestamp: '2026-11-23T09:00:00Z' } })
  const missing = new AccessError('Missing', 'access secret not found')
  const rows: [
    what: string,
    owner: string | undefined,
    known: readonly KubeObject[],
    to: Client | Error,
    is: boolean,
  ][] = [
    ['another Kyma', 'kcp-system/other', [other], here, true],
    ['one that goes', 'kcp-system/other', [going], here, true],
    ['one whose cluster cannot be asked', 'kcp-system/other', [other], failing, true],
    ['one whose access Secret is away', 'kcp-system/other', [other], missing, true],
    ['one of another cluster', 'kcp-system/other', [other], holding('there'), false],
    ['one that is gone', 'kcp-system/other', [], here, false],
    ['this one', 'kcp-system/own', [own], here, false],
    ['nobody', undefined, [other], here, false],
    ['what none is called', 'kcp-system/..', [other], here, false],
    ['one outside the control plane', 'default/other', [other], here, false],
  ]
  for (const [what, owner, known, to, is] of rows) {
    const looking = { reads: holding('control plane', ...known), client: here, clusters: leading(to) }
    t.equal((await copiesOfOthers([copyFor(owner)], key, looking)).length, is ? 1 : 0, what)
  }
  const looking = { reads: failing, client: here, clusters: leading(here) }
  await rejects(t, copiesOfOthers([copyFor('kcp-system/other')], key, looking), away)
})

t.test('KY-289 many made-up names cost one list; of many Kymas that live those count that nobody asked', async t => {
  const key = { namespace: 'kcp-system', name: 'own' }
  const madeUp = Array.from({ length: 1_000 }, (_, at) => copyFor(`kcp-system/made-up-${at}`))
  const reads: string[] = []
  const counting = (known: readonly KubeObject[]): Client => {
    const cluster = holding('control plane', ...known)
    return {
      get: (ref: Parameters<Client['get']>[0]) => {
        reads.push('get')
        return cluster.get(ref)
      },
      list: (query: Parameters<Client['list']>[0]) => {
        reads.push('list')
        return cluster.list(query)
      },
    } as unknown as Client
  }
  const elsewhere = { client: here, clusters: leading(holding('there')) }
  t.strictSame(await copiesOfOthers(madeUp, key, { ...elsewhere, reads: counting([own, other]) }), [])
  t.strictSame(reads, ['list'])
  const many = Array.from({ length: 12 }, (_, at) => kyma({ metadata: { name: `made-up-${at}` } }))
  t.equal((await copiesOfOthers(madeUp, key, { ...elsewhere, reads: counting(many) })).length, 2)
})

t.test(
  'KY-203 KY-234 whom a runtime is left to, and who is beside whom: none with the same namespace there',
  async t => {
    const key = { namespace: 'kcp-system', name: 'own' }
    const beside = { client: here, clusters: leading(here) }
    const going = kyma({ ...other, metadata: { ...other.metadata, deletionTimestamp: '2026-11-23T09:00:00Z' } })
    t.equal(await rivalOf(key, { ...beside, copy, reads: holding('control plane', going) }), undefined)
    t.equal(await rivalOf({ ...key, namespace: 'else' }, { ...beside, copy, reads: holding('x', other) }), undefined)
    const rows: [what: string, other: Kyma, is: boolean][] = [
      ['a namespace of its own', other, true],
      ['one that goes', going, true],
      ['the same namespace', kyma({ ...other, spec: { remote: { namespace: 'own' } } }), false],
      ['modules in the control plane', kyma({ ...other, spec: { remote: { enabled: false } } }), false],
    ]
    for (const [what, one, is] of rows) t.equal(await isBeside(own, one, beside), is, what)
  },
)
