// How many states the console keeps, with a client that lists and watches made-up Components.
import fc from 'fast-check'
import t from 'tap'
import { mirror } from '../../../shared/console/mirror.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { byTrouble, stateOf } from '../../../shared/runtime/why/explanation.ts'
import { eventually } from '../../harness/until.ts'

const statesMost = 50_000

const component = (name: string, message: string): KubeObject => ({
  ...{ apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', metadata: { name, namespace: 'n' } },
  status: { state: 'Error', conditions: [{ type: 'Ready', status: 'False', reason: 'X', message }] },
})

type Changes = { readonly type: string; readonly object: KubeObject }[]

t.test('SEE-86 states are in order after any additions, changes and deletions', async t => {
  type Parts = Parameters<typeof mirror>[0]
  const at = (name: string, state: string, second: number): KubeObject => ({
    ...{ apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', metadata: { name, namespace: 'n' } },
    status: {
      state,
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: new Date(second * 1_000).toISOString() }],
    },
  })
  const object = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    state: fc.constantFrom('Ready', 'Error', 'Processing', 'Deleting'),
    second: fc.nat(5),
  })
  const change = fc.record({ type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), object })
  await fc.assert(
    fc.asyncProperty(fc.array(object), fc.array(change), async (listed, changed) => {
      const changes: Changes = changed.map(({ type, object: { name, state, second } }) => ({
        type,
        object: at(name, state, second),
      }))
      const client = {
        async *pages({ kind, keep }: Parameters<Parts['client']['pages']>[0]) {
          if (kind === 'Component') for (const { name, state, second } of listed) keep?.(at(name, state, second))
          yield { items: [], resourceVersion: '1' }
        },
        async *watch({ kind, signal }: Parameters<Parts['client']['watch']>[0]) {
          if (kind === 'Component') yield* changes
          if (kind === 'Component') changes.length = 0
          await new Promise(resolve => signal?.addEventListener('abort', resolve))
        },
      } as unknown as Parts['client']
      const states = mirror({
        client,
        log: { debug: () => undefined } as unknown as Parts['log'],
        now: () => new Date(),
      })
      const left = new Map<string, KubeObject>(listed.map(({ name, state, second }) => [name, at(name, state, second)]))
      for (const { type, object } of [...changes])
        if (type === 'DELETED') left.delete(object.metadata.name)
        else left.set(object.metadata.name, object)
      await eventually('all changes are seen', async () => (await states.states()) && changes.length === 0)
      const { states: found } = await states.states()
      states.stop()
      const expected = [...left.values()].map(one => stateOf(one, new Date())).sort(byTrouble)
      t.strictSame(
        found.map(({ ref, is, since }) => [ref.name, is, since]),
        expected.map(({ ref, is, since }) => [ref.name, is, since]),
      )
    }),
    { numRuns: 50 },
  )
})

t.test('SEE-76 at 50,000 objects of a kind, new ones are left out and known ones are updated', async t => {
  type Parts = Parameters<typeof mirror>[0]
  const client = {
    async *pages({ kind, keep }: Parameters<Parts['client']['pages']>[0]) {
      if (kind === 'Component') for (let at = 0; at < statesMost; at++) keep?.(component(`c${at}`, 'old'))
      yield { items: [], resourceVersion: '1' }
    },
    async *watch({ kind, signal }: Parameters<Parts['client']['watch']>[0]) {
      if (kind === 'Component') {
        yield { type: 'ADDED', object: component('more', 'new') }
        yield { type: 'MODIFIED', object: component('c7', `${'x'.repeat(399)}\u{1f333}`) }
      }
      await new Promise(resolve => signal?.addEventListener('abort', resolve))
    },
  } as unknown as Parts['client']
  const states = mirror({ client, log: { debug: () => undefined } as unknown as Parts['log'], now: () => new Date() })
  t.teardown(() => states.stop())
  const named = async (name: string) => (await states.states()).states.find(({ ref }) => ref.name === name)
  await eventually('it is updated', async () => (await named('c7'))?.says[0]?.startsWith('xxx') === true)
  t.ok((await named('c7'))?.says[0]?.isWellFormed(), 'no half character')
  t.equal((await states.states()).states.length, statesMost)
  t.equal(await named('more'), undefined)
})
