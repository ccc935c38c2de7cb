// How the steps of a pass over a component are performed: the cluster `target` of a step is that of the dependents, which a kubeconfig
// may name, and hooks get the objects that the component refers to.
import type { Clusters } from '../../kube/client-types.ts'
import type { RunHook } from '../../kube/writes/perform-step.ts'
import type { PassScope } from '../definition.ts'
import type { ComponentCall } from './call.ts'
import { componentContext } from './contexts.ts'
import { runHooks } from './definition/hooks.ts'
import type { Reached } from './reached.ts'
import type { EngineWorld } from './world.ts'

export const passScope = (world: EngineWorld, call: ComponentCall): PassScope => {
  const { reached } = world
  const reusesReads = hasReadMore(world)
  return reached ? { reusesReads, clusters: withTarget(reached, call), runHook: hooks(reached, call) } : { reusesReads }
}

/**
 * A template looked something up, or the definition's own code may have read something. References do not count: the relay
 * watches them.
 */
const hasReadMore = (world: EngineWorld): boolean => {
  const { options, hooks } = world.engine
  const hasLookedUp = world.stage === 'dependents' && world.hasLookedUp
  return hasLookedUp || !options.hasPureGenerator || Object.values(hooks).some(some => some.length > 0)
}

const withTarget = ({ target }: Reached, { begun: { clusters } }: ComponentCall): Clusters => ({
  of: async name => (name === 'target' ? target.client : clusters.of(name)),
})

const hooks =
  (reached: Reached, call: ComponentCall): RunHook =>
  async ({ point, object }) => {
    const context = componentContext(object, reached, call)
    const client = call.begun.local
    const after = await runHooks({ point, hooks: call.engine.hooks[point], component: object, context, client })
    call.hooksRun.add(point)
    return after
  }
