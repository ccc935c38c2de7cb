// All that a Garden is made of, in both clusters: what the steps apply, and what is in their ManagedResources.
//
//   const { runtime, virtual } = partsOf(worldOf(garden, { gates: [], isUp: true, runtimeMinor: 34 }))
import fc from 'fast-check'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { referredTo } from './any-garden.ts'
import { gardenWorld } from './garden-world.ts'
import { managedContents } from './managed-contents.ts'
import { withRuntime, worldWithSecrets } from './secret-world.ts'

/** What the same Garden finds in different places and at different times. */
export type Surroundings = {
  readonly gates: readonly string[]
  /** The control plane runs already. */
  readonly isUp: boolean
  readonly runtimeMinor: number
}

export const anySurroundings: fc.Arbitrary<Surroundings> = fc.record({
  gates: fc.subarray(['DefaultSeccompProfile']),
  isUp: fc.boolean(),
  runtimeMinor: fc.integer({ min: 31, max: 37 }),
})

/** With the Secrets of before the rotations and of now, and with all that the Garden refers to. */
export const worldOf = (garden: Garden, { gates, isUp, runtimeMinor }: Surroundings): World => {
  const settings = { ...gardenWorld().settings, featureGates: gates }
  const { status: _, ...before } = garden
  const former = worldWithSecrets({ garden: before as Garden, settings, runtimeMinor })
  const world = worldWithSecrets({ garden, settings, runtimeMinor, runtime: former.runtime })
  return withRuntime(world, ...referredTo(garden), ...(isUp ? running : []))
}

const metadata = { name: 'gardener-apiserver', namespace: 'garden' }
const running: readonly KubeObject[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...metadata, name: 'gardener-admission-controller' } },
  { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.2.0.7' } },
]

const now = new Date('2026-03-01T12:00:00Z')

export const partsOf = (world: World) => {
  const made = steps.flatMap(({ objects }) => objects(world, now))
  const resources = made.filter(({ kind }) => kind === 'ManagedResource')
  const contents = (where: 'seed' | undefined): KubeObject[] =>
    resources
      .filter(({ spec }) => mapOrEmpty(spec).class === where)
      .flatMap(({ metadata }) => managedContents(made, metadata.name))
  return { runtime: [...made, ...contents('seed')], virtual: contents(undefined) }
}
