// What holds of all that is made for any Garden that admission lets in: an API server takes each object, and they fit together.
import fc from 'fast-check'
import t from 'tap'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { isThorough } from '../../harness/behaviour.ts'
import { anyGarden } from '../../make/any-garden.ts'
import { anySurroundings, partsOf, worldOf } from '../../make/garden-parts.ts'
import { wholeFaults } from '../../make/whole-faults.ts'
import { causesOf, filled } from '../garden-admission/reviews.ts'

const standing = ({ runtime }: World): KubeObject[] =>
  ['v1 Secret', 'v1 ConfigMap'].flatMap(kind => runtime.get(kind) ?? [])

t.test('GA-189 what a Garden is made of is accepted, and fits together', async t => {
  const property = fc.asyncProperty(anyGarden, anySurroundings, async (written, around) => {
    const garden = filled(JSON.parse(JSON.stringify(written)) as Garden)
    t.strictSame(await causesOf(garden), [], 'it is one that admission lets in')
    const world = worldOf(garden, around)
    const { runtime, virtual } = partsOf(world)
    t.strictSame(wholeFaults({ applied: runtime, standing: standing(world) }), [])
    t.strictSame(wholeFaults({ applied: virtual, standing: [] }), [])
  })
  await fc.assert(property, { numRuns: isThorough ? 1_000 : 4, seed: 190, endOnFailure: true })
})

t.test('GA-189 the same Garden is always made of the same', async t => {
  const property = fc.property(anyGarden, anySurroundings, (garden, around) => {
    t.strictSame(partsOf(worldOf(garden, around)), partsOf(worldOf(structuredClone(garden), around)))
  })
  fc.assert(property, { numRuns: isThorough ? 50 : 1, seed: 190, endOnFailure: true })
})
