// Plans as pages of the console.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { landscape, widgetFunction } from '../host-parts.ts'
import { componentKind, consoleGround, textOf } from './console-ground.ts'

const { admin, namespace, hostWith, limitedTo, everywhere, nowhere, get, page, objectPath } = await consoleGround(t)

/** Keeps the ConfigMap and the Secret of a Component. */
const keeping = async (ref: KubeObject): Promise<KubeObject[]> => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'first', namespace: ref.metadata.namespace ?? '' },
    data: { a: 'c' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'planned', namespace: ref.metadata.namespace ?? '' },
    stringData: { a: 'pl4nned' },
  },
]

t.test(
  'SEE-77 a plan is shown as a diff, without what the caller may not list, and without values of Secrets',
  async t => {
    const definition = widgetFunction({
      name: 'component',
      kind: componentKind,
      gather: async object => keeping(object),
      decide: world => ({
        steps: (world as KubeObject[]).map(object => ({ do: 'apply', object, force: true })),
        status: {},
        events: [],
        next: { is: 'waiting', seconds: 5, for: 'a <b>' },
      }),
    })
    const given = landscape()
    const own = hostWith({
      functions: [definition],
      landscape: { ...given, functions: { component: given.functions.widget } },
    })
    t.teardown(() => own.app.close())
    const url = `/plan${objectPath('well').slice(7)}`
    const body = await page(url, await limitedTo('planner', ['components', 'configmaps', 'secrets']), own)
    const text = textOf(body)
    matches(t, text, /~ change ConfigMap \S+\/first/)
    matches(t, text, /data\.a − b \+ c/)
    matches(t, text, /\+ create Secret \S+\/planned/)
    contains(t, text, 'Then it waits: a <b>. The next call is after 5 s.')
    contains(t, body, 'a &#60;b&#62;')
    lacks(t, body, 'pl4nned')
    const less = textOf(await page(url, await limitedTo('reader', ['components']), own))
    contains(t, less, '2 steps are not shown, because you may not list them')
    lacks(t, less, 'data.a')
    t.equal((await get(url, nowhere, own)).statusCode, 404)
    t.equal((await get(`/plan/core/v1/ConfigMap/${namespace}/first`, everywhere, own)).statusCode, 404)
    matches(t, (await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'first' }))?.data, { a: 'b' })
  },
)

t.test('SEE-77 two plans are made at once, further ones are answered 429', async t => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  let begun = 0
  const definition = widgetFunction({
    name: 'component',
    kind: componentKind,
    gather: async () => {
      begun++
      await opened
      return []
    },
    decide: () => ({ steps: [], status: {}, events: [], next: { is: 'settled' } }),
  })
  const given = landscape()
  const own = hostWith({
    functions: [definition],
    landscape: { ...given, functions: { component: given.functions.widget } },
  })
  t.teardown(() => own.app.close())
  const url = `/plan${objectPath('well').slice(7)}`
  const two = [get(url, everywhere, own), get(url, everywhere, own)]
  await eventually('both are made', async () => begun === 2)
  const { statusCode, headers } = await get(url, everywhere, own)
  t.strictSame([statusCode, headers['retry-after']], [429, '5'])
  open()
  t.strictSame(
    (await Promise.all(two)).map(one => one.statusCode),
    [200, 200],
  )
})
