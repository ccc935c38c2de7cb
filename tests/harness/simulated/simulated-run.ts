// Host and relay in a simulated world: they call a function for one object until it has nothing left to do. A test may let steps fail and the process
// die.
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import type { Key } from '../../../shared/core/objects/object.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export type Run = {
  /** The process dies after it has tried so many steps. */
  dieAfterSteps?: number
  /** The API server refuses such a step; the other steps of the pass go on. */
  refuses?: (step: Step) => boolean
  /** Called after every step, to check what must hold at every moment, or to act as others do meanwhile. */
  afterStep?: (step: Step) => void
}

/** `failure`: a step was refused or met a conflict. `plan`: the last one; undefined when the object is gone. */
export type Ended = { by: 'rest' | 'failure' | 'death'; steps: number; plan: Plan | undefined }

/** No function needs more passes to bring one object to rest. */
const maxPasses = 20

/** Runs one process until nothing is left to do, a step fails, or it dies. */
export const runToRest = async (
  definition: ReconcileFunction,
  key: Key,
  world: SimulatedWorld,
  { dieAfterSteps = Number.POSITIVE_INFINITY, refuses = () => false, afterStep = () => {} }: Run = {},
): Promise<Ended> => {
  let steps = 0
  for (let pass = 0; pass < maxPasses; pass++) {
    const plan = await planOf(definition, key, world)
    if (!plan || plan.steps.length === 0) return { by: 'rest', steps, plan }
    let isDone = true
    for (const step of plan.steps) {
      if (steps++ === dieAfterSteps) return { by: 'death', steps, plan }
      isDone = !refuses(step) && world.perform(step) && isDone
      afterStep(step)
    }
    world.patchStatus({ ...definition.kind, ...key }, plan.status)
    if (!isDone) return { by: 'failure', steps, plan }
  }
  throw new Error(`${definition.name} did not come to rest within ${maxPasses} passes`)
}

/** The plan of the function for the present world; undefined when its object is gone. */
export const planOf = async (
  definition: ReconcileFunction,
  key: Key,
  world: SimulatedWorld,
): Promise<Plan | undefined> => {
  const object = world.get({ ...definition.kind, ...key })
  if (!object) return undefined
  const read = { ...process, reads: world.reads, settings: process.settingsOf(definition) }
  return definition.decide(await definition.gather(object, read, {}), world.now)
}

const single = () => {
  throw new Error('a simulated world is a single cluster')
}
const process = processContext({ clusters: { of: async () => single(), bound: single } })
