// What holds of all that is made for any Garden that admission lets in: an API server takes each object, and they fit together.
import fc from 'fast-check'
import t from 'tap'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import { mapOrEmpty } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { isThorough } from '../../harness/behaviour.ts'
import { anyGarden, referredTo } from '../../make/any-garden.ts'
import { gardenWorld } from '../../make/garden-world.ts'
import { managedContents } from '../../make/managed-contents.ts'
import { withRuntime, worldWithSecrets } from '../../make/secret-world.ts'
import { wholeFaults } from '../../make/whole-faults.ts'
import { causesOf, filled } from '../garden-admission/reviews.ts'

const now = new Date('2026-03-01T12:00:00Z')

const deployment = (name: string): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'garden' } },
})

const upToNow = [
  ...['gardener-apiserver', 'gardener-admission-controller'].map(deployment),
  {
    ...{ apiVersion: 'v1', kind: 'Service', spec: { clusterIP: '10.2.0.7' } },
    metadata: { name: 'gardener-apiserver', namespace: 'garden' },
  },
]

type Landscape = { readonly gates: readonly string[]; readonly isUp: boolean; readonly runtimeMinor: number }

const landscape: fc.Arbitrary<Landscape> = fc.record({
  gates: fc.subarray(['HVPA', 'DefaultSeccompProfile']),
  isUp: fc.boolean(),
  runtimeMinor: fc.integer({ min: 31, max: 37 }),
})

/** With the Secrets of before the rotations and of now. */
const worldOf = (garden: Garden, { gates, isUp, runtimeMinor }: Landscape): World => {
  const settings = { ...gardenWorld().settings, featureGates: gates }
  const { status: _, ...before } = garden
  const former = worldWithSecrets({ garden: before as Garden, settings, runtimeMinor })
  const world = worldWithSecrets({ garden, settings, runtimeMinor, runtime: former.runtime })
  return withRuntime(world, ...referredTo(garden), ...(isUp ? upToNow : []))
}

const madeIn = (world: World): KubeObject[] =>
  steps.filter(({ skipIf }) => !skipIf?.(world)).flatMap(({ objects }) => objects(world, now))

/** Of all ManagedResources for this cluster. */
const contentsOf = (made: readonly KubeObject[], where: 'runtime' | 'virtual'): KubeObject[] =>
  made
    .filter(({ kind }) => kind === 'ManagedResource')
    .filter(({ spec }) => mapOrEmpty(spec).class === (where === 'runtime' ? 'seed' : undefined))
    .flatMap(({ metadata }) => managedContents(made, metadata.name))

const standing = ({ runtime }: World): KubeObject[] =>
  ['v1 Secret', 'v1 ConfigMap'].flatMap(kind => runtime.get(kind) ?? [])

t.test('GA-189 what a Garden is made of is accepted, and fits together', async t => {
  const property = fc.asyncProperty(anyGarden, landscape, async (written, around) => {
    const garden = filled(JSON.parse(JSON.stringify(written)) as Garden)
    t.strictSame(await causesOf(garden), [], 'it is one that admission lets in')
    const world = worldOf(garden, around)
    const made = madeIn(world)
    const [runtime, virtual] = [contentsOf(made, 'runtime'), contentsOf(made, 'virtual')]
    t.strictSame(wholeFaults({ applied: [...made, ...runtime], standing: standing(world) }), [])
    t.strictSame(wholeFaults({ applied: virtual, standing: [] }), [])
  })
  await fc.assert(property, { numRuns: isThorough ? 1_000 : 4, seed: 190, endOnFailure: true })
})

t.test('GA-189 the same Garden is always made of the same', async t => {
  const property = fc.property(anyGarden, landscape, (garden, around) => {
    t.strictSame(madeIn(worldOf(garden, around)), madeIn(worldOf(structuredClone(garden), around)))
  })
  fc.assert(property, { numRuns: isThorough ? 50 : 1, seed: 190, endOnFailure: true })
})
