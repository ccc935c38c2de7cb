import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { garden } from '../../make/garden.ts'
import { gardenWorld } from '../../make/garden-world.ts'

t.test('GA-56 of two Gardens none is touched', async t => {
  const gardens = [garden(), garden({ metadata: { name: 'second' } })]
  t.strictSame(decide(gardenWorld({ gardens })), {
    ...{ steps: [], status: {}, events: [] },
    next: { is: 'stalled', reason: 'MoreThanOneGarden' },
  })
})
