// How many states the console keeps, with a client that lists and watches made-up Components.
import t from 'tap'
import { mirror } from '../../../shared/console/mirror.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { eventually } from '../../harness/until.ts'

const statesMost = 50_000

const component = (name: string, message: string): KubeObject => ({
  ...{ apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', metadata: { name, namespace: 'n' } },
  status: { state: 'Error', conditions: [{ type: 'Ready', status: 'False', reason: 'X', message }] },
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
