// Calls of garden-reconcile as a host makes them, and as a relay asks for them: when something changed, or when the time has come.
import { gardenReconcile } from '../../functions/garden-reconcile/index.ts'
import { gardenImages } from '../../functions/garden-reconcile/io/images.ts'
import type { Outcome } from '../../shared/core/decisions/outcome.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import type { Client, RequestNote } from '../../shared/kube/client-types.ts'
import { processContext } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { processMemory } from '../../shared/runtime/process-memory.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { oneCluster } from '../../tests/harness/clusters/one-cluster.ts'
import { settingsWith } from '../../tests/make/settings.ts'
import type { Ground } from './clusters.ts'

export type Calls = {
  once(): Promise<Outcome>
  /** How many it took. */
  until(isOver: (outcome: Outcome) => boolean | Promise<boolean>): Promise<number>
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const key = { namespace: '', name: 'garden' }
const images = await gardenImages()

/** With one memory. `onFarRequest` hears of requests to the virtual garden. */
export const callsOf = (local: Client, ground: Ground, onFarRequest: (note: RequestNote) => void): Calls => {
  const settingsOf = settingsWith({ images, virtualGardenAddress: ground.virtualGardenAddress })
  const memory = processMemory({ onRequest: onFarRequest })
  const context = processContext({ clusters: oneCluster(local), home: 'default', settingsOf, memory })
  const once = (): Promise<Outcome> => {
    const end = performance.now() + 120_000
    const signal = AbortSignal.timeout(120_000)
    const bounds = { lastPassAt: end, lastRequestAt: end, signal, now: () => new Date(), log: silent }
    return reconcile(gardenReconcile as ReconcileFunction, key, { ...context, ...bounds })
  }
  return { once, until: isOver => callsUntil(once, ground, isOver) }
}

const mostCalls = 2_000

const callsUntil = async (
  once: Calls['once'],
  ground: Ground,
  isOver: Parameters<Calls['until']>[0],
): Promise<number> => {
  for (let calls = 1; calls < mostCalls; calls++) {
    const before = await ground.process.ask('revision')
    const outcome = await once()
    if (await isOver(outcome)) return calls
    await pause(ground, secondsOf(outcome), before)
  }
  throw new Error('the Garden does not get so far')
}

export const secondsOf = (outcome: Outcome): number => Number(mapOrEmpty(outcome).requeueAfterSeconds ?? 0)

const stepMilliseconds = 500

/** Who is to be called again soon waits so long; who waits for others, until the runtime cluster is another one than before his call. */
const pause = async (ground: Ground, seconds: number, before: string): Promise<void> => {
  const isSoon = seconds * 1000 <= 2 * stepMilliseconds
  for (let waited = 0; waited === 0 || waited < seconds * 1000; waited += stepMilliseconds) {
    await new Promise(resolve => setTimeout(resolve, stepMilliseconds))
    if (!isSoon && (await ground.process.ask('revision')) !== before) return
  }
}
