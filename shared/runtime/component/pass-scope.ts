// Defines how steps for a component are performed: steps in `target` use the cluster of the dependents, and hooks get references and
// clients.
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client, ReadClient, ReadClusters } from '../../kube/client-types.ts'
import type { RunHook } from '../../kube/writes/perform-step.ts'
import type { PassScope } from '../definition.ts'
import { type ComponentCall, codeContext, componentContext, loadContext } from './call.ts'
import { actingIdentity } from './configuration/identity.ts'
import type { CodeContext, HookOf, Hooks } from './definition/definition.ts'
import { readingAs, readReference } from './references/references.ts'
import { discreet, noSecrets, withSecret } from './references/secrecy.ts'
import type { Reached } from './target-cluster.ts'
import type { EngineWorld } from './world.ts'

export const passScope = (world: EngineWorld, call: ComponentCall): PassScope => {
  const { reached } = world
  const reusesReads = hasReadMore(world)
  const runHook = hooks(reached, call)
  return reached ? { reusesReads, clusters: withTarget(reached, call), runHook } : { reusesReads, runHook }
}

/** Whether a template or the definition's code may have read objects. References do not count, because the relay watches them. */
const hasReadMore = (world: EngineWorld): boolean => {
  const { options, hooks } = world.engine
  const hasLookedUp = world.stage === 'dependents' && world.hasLookedUp
  return hasLookedUp || !options.hasPureGenerator || Object.values(hooks).some(some => some.length > 0)
}

const withTarget = ({ target }: Reached, { begun: { clusters } }: ComponentCall): ReadClusters => ({
  of: async name => (name === 'target' ? target.client : clusters.of(name)),
})

type Unlocked = (client: ReadClient) => Client

const hooks =
  (reached: Reached | undefined, call: ComponentCall): RunHook =>
  async ({ point, object }, unlocked) => {
    const run = { object, call, unlocked }
    const after = await (point === 'postRead' ? runPostRead(run) : runAt(point, run, reached))
    call.hooksRun.add(point)
    return after
  }

type HookRun = { readonly object: KubeObject; readonly call: ComponentCall; readonly unlocked: Unlocked }
type LaterPoint = Exclude<Parameters<RunHook>[0]['point'], 'postRead'>

const runAt = async (point: LaterPoint, { object, call, unlocked }: HookRun, reached: Reached | undefined) => {
  if (!reached) throw new TypeError(`hook ${point} runs before the cluster of the dependents is known`)
  const context = {
    ...componentContext(object, reached, call),
    client: unlocked(reached.target.client),
    localClient: unlocked(reached.target.local),
  }
  const client = unlocked(call.begun.local)
  return runHooks({ point, hooks: call.engine.hooks[point], component: object, context, client })
}

/** Runs before configuration and references are read, so a reference is read when the hook requests the reference. */
const runPostRead = async ({ object, call, unlocked }: HookRun): Promise<KubeObject> => {
  const { engine, begun } = call
  const identified = actingIdentity(object, engine.options)
  if ('faults' in identified)
    throw new TypeError(`hook postRead cannot run, because the user is not valid: ${identified.faults.join('; ')}`)
  const { here } = identified.identity
  const reads = readingAs(begun.local, here)
  let secrecy = noSecrets
  const context = {
    ...codeContext(object, call),
    localClient: unlocked(here ? begun.local.bound({ impersonate: here }) : begun.local),
    reference: async (path: string) => {
      const referred = await readReference(path, engine.options.references, loadContext(object, reads, call))
      if (referred) secrecy = withSecret(secrecy, referred)
      return referred?.value
    },
  }
  const run = { point: 'postRead', hooks: engine.hooks.postRead, component: object, context } as const
  return runHooks({ ...run, client: unlocked(begun.local) }).catch(error => {
    throw new Error(discreet(errorText(error), { secrecy, component: object }), { cause: error })
  })
}

// Runs the developer's hooks with a copy of the component. Status changes are saved with the pass; other changes are an error.

type HooksRun<Context extends CodeContext> = {
  readonly point: keyof Hooks
  readonly hooks: readonly HookOf<Context>[]
  readonly component: KubeObject
  readonly context: Context
  /** A client with the function's own identity. */
  readonly client: Client
}

/** Returns the component with its status after the hooks. If a hook throws, no further hook runs. */
const runHooks = async <Context extends CodeContext>(run: HooksRun<Context>): Promise<KubeObject> => {
  const { point, hooks, component, context, client } = run
  const copy = structuredClone(component)
  for (const [index, hook] of hooks.entries()) {
    const place = `hook ${point} ${index + 1}`
    try {
      await hook({ ...context, component: copy }, client, copy)
    } catch (error) {
      throw new Error(`${place}: ${errorText(error)}`, { cause: error })
    }
    const isUntouched = isDeepStrictEqual({ ...copy, status: undefined }, { ...component, status: undefined })
    if (!isUntouched) throw new Error(`${place}: the hook changed fields outside the status of the component`)
  }
  return copy
}
