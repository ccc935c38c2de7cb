// Runtimes of somebody who means ill: whatever they answer, the Kyma says what is wrong, the call ends, and nothing is written for it.
import t from 'tap'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { behindKubeconfig, longList, manyPages, type Trick } from '../../harness/clients/hostile-api-server.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'

const ground = await kymaClusters(t)

type Answer = (path: string) => unknown

const answering =
  (answer: Answer): Trick =>
  ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer(url)))
  }

const ours = ['Kyma', 'ModuleTemplate', 'ModuleReleaseMeta'].map(kind => ({
  kind,
  name: `${kind.toLowerCase()}s`,
  namespaced: true,
  verbs: ['get'],
}))
const metadata = { name: 'default', namespace: 'kyma-system', uid: 'u', resourceVersion: '1', generation: 1 }
const established = { conditions: [{ type: 'Established', status: 'True' }] }

/** A runtime in which all is in order, but for this copy. */
const withCopy =
  (copy: object): Answer =>
  path => {
    if (path === `/apis/${kymaKind.apiVersion}`) return { kind: 'APIResourceList', resources: ours }
    if (path.includes('/kymas')) {
      const object = { ...kymaKind, metadata, ...copy }
      return { ...object, items: [object] }
    }
    const name = path.split('?')[0]?.split('/').at(-1)
    return { apiVersion: 'v1', kind: 'X', metadata: { ...metadata, name }, status: established, items: [] }
  }

/** The one thing said of all that the client lets nobody see. */
const noObject = /^the runtime cannot be read: the response of the API server is not an object$/
const copyIs = (fault: string) => `the copy of the Kyma in the runtime cannot be used: ${fault}`
const modules = (...entries: unknown[]) => ({ spec: { channel: 'regular', modules: entries } })
const noName = 'spec.modules[0].name must be a text of 1 to 253 characters'

const copies: readonly [string, object, string][] = [
  ['no spec', {}, 'spec.channel must be a text of 1 to 32 characters'],
  ['a text', { spec: 'x' }, 'spec.channel must be a text of 1 to 32 characters'],
  ['a number as channel', { spec: { channel: 1 } }, 'spec.channel must be a text of 1 to 32 characters'],
  ['a long channel', { spec: { channel: 'x'.repeat(1e6) } }, 'spec.channel must be a text of 1 to 32 characters'],
  [
    'a text as flag',
    { spec: { channel: 'a', skipMaintenanceWindows: 'x' } },
    'spec.skipMaintenanceWindows is not a boolean',
  ],
  ['a map of modules', { spec: { channel: 'a', modules: {} } }, 'spec.modules is not a list'],
  ['null as module', modules(null), 'spec.modules[0] is not an object'],
  ['a module without name', modules({}), noName],
  ['a list as name', modules({ name: [] }), noName],
  ['a name of 1 MB', modules({ name: 'x'.repeat(1e6) }), noName],
  [
    'a map as channel',
    modules({ name: 'x', channel: {} }),
    'spec.modules[0].channel must be a text of 1 to 32 characters',
  ],
  [
    'a list as controller',
    modules({ name: 'x', controller: [] }),
    'spec.modules[0].controller must be a text of 1 to 253 characters',
  ],
  [
    'an unknown policy',
    modules({ name: 'x', customResourcePolicy: 'Keep' }),
    'spec.modules[0].customResourcePolicy is neither CreateAndDelete nor Ignore',
  ],
  ['a text as managed', modules({ name: 'x', managed: 'false' }), 'spec.modules[0].managed is not a boolean'],
  [
    'a module twice',
    modules({ name: 'a' }, { name: 'a', channel: 'fast' }),
    'spec.modules[1].name is also the name of another entry',
  ],
  [
    '10,000 modules',
    modules(...Array.from({ length: 10_000 }, (_, n) => ({ name: `m${n}` }))),
    'spec.modules has 10000 entries, expected at most 500',
  ],
]

const answers: readonly [string, Trick, RegExp | string][] = [
  ...[null, [], 'x', {}, { metadata: null, items: null }, { metadata: {}, items: [null, 1, 'x', []] }].map(
    (body): [string, Trick, RegExp] => [JSON.stringify(body), answering(() => body), noObject],
  ),
  ...copies.map(([what, copy, fault]): [string, Trick, string] => [
    `a copy with ${what}`,
    answering(withCopy(copy)),
    copyIs(fault),
  ]),
  ['a list of 300 MB', longList(300e6), /^the runtime cannot be read: /],
  ['endless pages', manyPages(1e6, 500), /^the runtime cannot be read: /],
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: ground.runtime.url }).end(),
    /^the runtime cannot be read: /,
  ],
]

/** A runtime in order that wants one module. */
const inOrder = answering(withCopy(modules({ name: 'telemetry' })))

/** What a Kyma has of its modules, but for what it says of the runtime. */
const modulesOf = async (name: string) => {
  const { status } = (await ground.read(name)) ?? {}
  const entries = status?.modules?.map(({ state: _, message: __, ...entry }) => entry)
  return { entries, manifests: await ground.manifests(name) }
}

t.test(
  'KY-204 RE-28 whatever a runtime answers, its Kyma says what is wrong and its modules stay as they are',
  async t => {
    await ground.create(moduleTemplate())
    await ground.create(moduleReleaseMeta())
    const all = answers.map(([what, trick, fault], number) => ({ what, trick, fault, name: `hostile-${number}` }))
    await Promise.all(
      all.map(async ({ what, trick, fault, name }) => {
        const server = await behindKubeconfig(t, inOrder)
        await ground.kymaNamed(name, { spec: { modules: [{ name: 'telemetry' }] } })
        await ground.access(name, server.kubeconfig)
        await ground.call(name)
        const before = await modulesOf(name)
        t.strictSame([before.manifests.length, before.entries?.[0]?.version], [1, '1.2.3'], what)
        server.play(trick)
        const { outcome } = await ground.call(name)
        const { status } = (await ground.read(name)) ?? {}
        const { operation = '' } = status?.lastOperation ?? {}
        t.strictSame([outcome, status?.state], ['failed', 'Error'], what)
        t.ok(typeof fault === 'string' ? operation === fault : fault.test(operation), `${what}: ${operation}`)
        t.ok(JSON.stringify(status).length < 4_000, `${what}: the status stays small`)
        t.strictSame(await modulesOf(name), before, what)
      }),
    )
  },
)

t.test('KY-247 a copy that cannot be used holds up no deletion', async t => {
  const server = await behindKubeconfig(t, inOrder)
  await ground.kymaNamed('ends', { spec: { modules: [{ name: 'telemetry' }] } })
  await ground.access('ends', server.kubeconfig)
  await ground.call('ends')
  t.equal((await ground.manifests('ends')).length, 1)
  server.play(answering(withCopy({ spec: {}, status: { state: 'Deleting' } })))
  await ground.remove('ends')
  await ground.call('ends')
  t.strictSame(await ground.manifests('ends'), [])
})

t.test('KY-204 names that mean something elsewhere are names like others', async t => {
  const names = ['__proto__', 'constructor', 'toString', '../../x', 'ns/name', 'ü€😀', 'a,b=c']
  const { kubeconfig } = await behindKubeconfig(t, answering(withCopy(modules(...names.map(name => ({ name }))))))
  await ground.kymaNamed('odd')
  await ground.access('odd', kubeconfig)
  await ground.call('odd')
  const { status } = (await ground.read('odd')) ?? {}
  t.strictSame(
    status?.modules?.map(({ name, message }) => [name, message]),
    names.map(name => [name, `no templates were found: for module ${name} in channel regular`]),
  )
})
