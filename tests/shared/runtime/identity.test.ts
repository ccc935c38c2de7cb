// As whom a component acts, before any cluster is asked: what each place says, and what may not be said together.
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { configurationOf } from '../../../shared/runtime/component/configuration/configuration.ts'
import { actingIdentity } from '../../../shared/runtime/component/configuration/identity.ts'
import type { ComponentOptions } from '../../../shared/runtime/component/definition/definition.ts'
import { engineOptions } from '../../../shared/runtime/component/definition/engine.ts'
import { ReferenceForbidden, readingAs } from '../../../shared/runtime/component/references/references.ts'
import { rejects } from '../../harness/matches.ts'

type Options = Partial<ComponentOptions>

const shop = (spec: JsonMap, more: JsonMap = {}): KubeObject => ({
  apiVersion: 'example.io/v1',
  kind: 'Shop',
  metadata: { name: 'cart', namespace: 'shop' },
  spec,
  ...more,
})

const optionsOf = (options: Options) => engineOptions('shop.example.io', options)

const as = (user: string, ...groups: string[]) => ({ user, groups })
const account = (name: string) => as(`system:serviceaccount:shop:${name}`)
const byDefault: Options = { defaultServiceAccount: 'usual' }
const inCode = (values: JsonMap): Options => ({ configuration: { impersonation: () => values } })

t.test('CO-94 whom a component names is impersonated here and there, a default account here only', async t => {
  const rows: [what: string, spec: JsonMap, options: Options, here: unknown, there: unknown][] = [
    ['nobody', {}, {}, undefined, undefined],
    ['an account', { serviceAccountName: 'x' }, {}, account('x'), account('x')],
    ['a user', { impersonationUser: 'jane' }, {}, as('jane'), as('jane')],
    ['an account as a user', { impersonationUser: 'system:serviceaccount::x' }, {}, account('x'), account('x')],
    ['groups', { impersonationUser: 'jane', impersonationGroups: ['a'] }, {}, as('jane', 'a'), as('jane', 'a')],
    ['no groups', { serviceAccountName: 'x', impersonationGroups: [] }, {}, account('x'), account('x')],
    ['empty texts', { serviceAccountName: '', impersonationUser: '' }, {}, undefined, undefined],
    ['the default account', {}, byDefault, account('usual'), undefined],
    ['another than the default account', { serviceAccountName: 'x' }, byDefault, account('x'), account('x')],
    ['code', { serviceAccountName: 'x' }, inCode({ impersonationUser: 'a' }), as('a'), as('a')],
    ['code beside a default', {}, { ...byDefault, ...inCode({ impersonationUser: 'a' }) }, as('a'), as('a')],
  ]
  for (const [what, spec, options, here, there] of rows)
    t.strictSame(actingIdentity(shop(spec), optionsOf(options)), { identity: { there, here } }, what)
})

t.test('CO-94 a kind that keeps to its own namespace acts as accounts of that namespace alone', async t => {
  const options = optionsOf({ impersonationScope: 'ownNamespace' })
  const own = 'system:serviceaccount:shop:x'
  t.strictSame(actingIdentity(shop({ impersonationUser: own }), options), {
    identity: { there: account('x'), here: account('x') },
  })
  const foreign = [
    'jane',
    'system:serviceaccount:kube-system:x',
    'system:serviceaccount:shop2:x',
    'system:serviceaccount:shop',
  ]
  const sentence = (user: string) =>
    `only service accounts of namespace shop may be impersonated, without groups; not ${user}`
  for (const user of foreign)
    t.strictSame(actingIdentity(shop({ impersonationUser: user }), options), { faults: [sentence(user)] }, user)
  const withGroups = shop({ impersonationUser: own, impersonationGroups: ['a'] })
  t.strictSame(actingIdentity(withGroups, options), { faults: [sentence(own)] })
})

t.test('RE-32 beside a service account no user and no groups are taken', async t => {
  const usual = 'this kind impersonates the service account usual, or the service account in serviceAccountName'
  const masters = { impersonationGroups: ['system:masters'] }
  const kubeConfig = { secretRef: { name: 'far' } }
  const rows: [what: string, component: KubeObject, options: Options, fault: string][] = [
    [
      'groups',
      shop({ serviceAccountName: 'x', ...masters }),
      {},
      `serviceAccountName cannot be set together with impersonationGroups`,
    ],
    [
      'a user',
      shop({ serviceAccountName: 'x', impersonationUser: 'admin' }),
      {},
      `serviceAccountName cannot be set together with impersonationUser`,
    ],
    [
      'both',
      shop({ serviceAccountName: 'x', impersonationUser: 'admin', ...masters }),
      {},
      `serviceAccountName cannot be set together with impersonationUser and impersonationGroups`,
    ],
    [
      'a kubeconfig as well',
      shop({ serviceAccountName: 'x', kubeConfig, ...masters }),
      {},
      `serviceAccountName cannot be set together with impersonationGroups`,
    ],
    [
      'at another place',
      shop({ serviceAccountName: 'x' }, { impersonationUser: 'admin' }),
      {},
      `serviceAccountName cannot be set together with impersonationUser`,
    ],
    [
      'groups at another place',
      shop(masters, { serviceAccountName: 'x' }),
      {},
      `serviceAccountName cannot be set together with impersonationGroups`,
    ],
    [
      'in code',
      shop({}),
      inCode({ serviceAccountName: 'x', ...masters }),
      `serviceAccountName cannot be set together with impersonationGroups`,
    ],
    ['groups beside the default', shop(masters), byDefault, `impersonationGroups cannot be set: ${usual}`],
    [
      'a user instead of the default',
      shop({ impersonationUser: 'system:serviceaccount::x' }),
      byDefault,
      `impersonationUser cannot be set: ${usual}`,
    ],
    [
      'the default, by a kubeconfig',
      shop({ impersonationUser: 'admin', kubeConfig, ...masters }),
      byDefault,
      `impersonationUser and impersonationGroups cannot be set: ${usual}`,
    ],
    ['groups alone', shop(masters), {}, 'impersonationGroups needs impersonationUser'],
    [
      'groups beside an empty name',
      shop({ serviceAccountName: '', ...masters }),
      {},
      'impersonationGroups needs impersonationUser',
    ],
    [
      'a name that leads elsewhere',
      shop({ serviceAccountName: 'kube-system:x' }),
      {},
      'serviceAccountName is "kube-system:x", not the name of a service account',
    ],
    [
      'a line break',
      shop({ impersonationUser: 'a\r\nimpersonate-group: system:masters' }),
      {},
      'impersonationUser or impersonationGroups contain characters that no name can have',
    ],
  ]
  for (const [what, component, options, fault] of rows) {
    t.strictSame(actingIdentity(component, optionsOf(options)), { faults: [fault] }, what)
    t.strictSame(configurationOf(component, optionsOf(options)), { faults: [fault] }, `${what}: nothing goes on`)
  }
})

const answering = (error: unknown): Client => {
  const client = { get: () => Promise.reject(error), bound: () => client } as unknown as Client
  return client
}

const forbidden = (kind: string) => new ApiError({ code: 403, reason: 'Forbidden', message: 'no', details: { kind } })
const values = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'values' }

t.test('RE-30 a refused read names the account and the object; any other error stays what it is', async t => {
  const reads = (error: unknown) => readingAs(answering(error), account('x')).get(values)
  await rejects(
    t,
    reads(forbidden('secrets')),
    new ReferenceForbidden('system:serviceaccount:shop:x may not read the Secret shop/values'),
  )
  const mayNotAct = forbidden('serviceaccounts')
  t.equal(await reads(mayNotAct).catch(error => error), mayNotAct, 'that we may not act as it is another thing')
  const gone = new ApiError({ code: 404, reason: 'NotFound', message: 'no', details: { kind: 'secrets' } })
  t.equal(await reads(gone).catch(error => error), gone)
  const own = answering(forbidden('secrets'))
  t.equal(readingAs(own, undefined), own, 'our own identity')
})
