// What a plan shows to whom, with plans and rights that the test makes up.
import t from 'tap'
import { planPage } from '../../../shared/console/plan-page.ts'
import type { PlannedCall } from '../../../shared/runtime/planned.ts'
import { contains, lacks } from '../../harness/matches.ts'

const ref = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', namespace: 'n', name: 'shop' }

const plan = (change: Partial<PlannedCall>): PlannedCall => ({
  ...{
    function: 'component',
    object: 'Component n/shop',
    is: 'planned',
    steps: [],
    later: [],
    itself: [],
    status: [],
    events: [],
  },
  next: { is: 'settled' },
  ...change,
})

const shown = async (call: PlannedCall, kinds: readonly string[]): Promise<string> => {
  const object = { ...ref, metadata: { name: ref.name, namespace: ref.namespace }, spec: { kubeConfig: {} } }
  const { body } = await planPage({
    ref,
    sight: {
      reads: async () => ({ get: async () => object, list: async () => [] }),
      maySee: async ({ kind }) => kinds.includes(kind),
      lastWriter: () => undefined,
    },
    plans: [async () => call],
    caller: { id: 'x', name: 'x', mayList: async () => false, listable: async () => new Set() },
    query: new URLSearchParams(),
    now: new Date(),
  })
  return body
}

t.test('SEE-77 the plan of a suspended object says that nothing is done', async t => {
  const body = await shown(plan({ is: 'suspended' }), ['Component'])
  contains(t, body, 'The object is suspended, so nothing is done until')
  lacks(t, body, 'Then nothing remains to be done')
})

t.test('SEE-77 the first 200 steps are shown, others counted', async t => {
  const steps = Array.from(
    { length: 203 },
    (_, at) => ({ apiVersion: 'v1', does: 'create', object: `ConfigMap n/s${at}` }) as const,
  )
  const body = await shown(plan({ steps }), ['Component', 'ConfigMap'])
  t.equal([...body.matchAll(/class="step create"/g)].length, 200)
  contains(t, body, 'and 3 more')
})

t.test('SEE-77 steps in the cluster of a kubeconfig are shown to those who may list the Secrets beside it', async t => {
  const fields = [{ path: 'data.a', before: `${'x'.repeat(399)}\u{1f333}`, after: 'b' }]
  const steps = [{ apiVersion: 'v1', does: 'change', object: 'ConfigMap n/far', on: 'target', fields }] as const
  const less = await shown(plan({ steps }), ['Component', 'ConfigMap'])
  contains(t, less, '1 step is not shown, because you may not list it.')
  lacks(t, less, 'n/far')
  const body = await shown(plan({ steps }), ['Component', 'Secret'])
  contains(t, body, 'n/far')
  t.ok(body.isWellFormed(), 'no half character')
})
