// What holds of all that is made for any Garden that admission lets in: an API server takes each object, and they fit together.
import fc from 'fast-check'
import t from 'tap'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { isThorough } from '../../harness/runner/behaviour.ts'
import { anyGarden } from '../../make/garden/any-garden.ts'
import { garden, sample } from '../../make/garden/garden.ts'
import { anySurroundings, partsOf, type Surroundings, worldOf } from '../../make/garden/garden-parts.ts'
import { wholeFaults } from '../../make/objects/whole-faults.ts'
import { causesOf, filled } from '../garden-admission/reviews.ts'

const standing = ({ runtime }: World): KubeObject[] =>
  ['v1 Secret', 'v1 ConfigMap'].flatMap(kind => runtime.get(kind) ?? [])

t.test('GA-189 what a Garden is made of is accepted, and fits together', async t => {
  const property = fc.asyncProperty(anyGarden, anySurroundings, async (written, around) => {
    const stored = filled(JSON.parse(JSON.stringify(written)) as Garden)
    t.strictSame(await causesOf(stored), [], 'it is one that admission lets in')
    const world = worldOf(stored, around)
    const { runtime, virtual } = partsOf(world)
    t.strictSame(wholeFaults({ applied: runtime, standing: standing(world) }), [])
    t.strictSame(wholeFaults({ applied: virtual, standing: [] }), [])
  })
  const examples: [Garden, Surroundings][] = [
    [sample('garden-full'), { gates: ['HVPA', 'DefaultSeccompProfile'], isUp: true, runtimeMinor: 34 }],
    [garden(), { gates: [], isUp: false, runtimeMinor: 34 }],
  ]
  await fc.assert(property, { examples, numRuns: isThorough ? 1_000 : 5, seed: 190, endOnFailure: true })
})

t.test('GA-189 the same Garden is always made of the same', async t => {
  const property = fc.property(anyGarden, anySurroundings, (written, around) => {
    t.strictSame(partsOf(worldOf(written, around)), partsOf(worldOf(structuredClone(written), around)))
  })
  fc.assert(property, { numRuns: isThorough ? 50 : 1, seed: 190, endOnFailure: true })
})
