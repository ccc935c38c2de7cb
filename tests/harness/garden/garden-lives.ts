// Processes that die work on a Garden one after the other. Each does some writes, and the next one knows only what is in the cluster.
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { ProcessContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { mortalProcess } from '../processes/mortal-process.ts'
import { until } from '../until.ts'
import { gardenRef } from './garden-ground.ts'

export type GardenLives = {
  /** Runs processes until one has nothing left to write and `isSo` is true. */
  until(isSo: (garden: Garden | undefined) => boolean): Promise<void>
  /** How many have died since the last call. */
  deaths(): number
}

type Home = {
  readonly local: Client
  readonly settingsOf: ProcessContext['settingsOf']
  /** Returns another text after each change in the cluster. */
  readonly revision: () => string
}

type Course = {
  /** How many writes each process does. */
  readonly writes: number
  /** Called when a process has ended, dead or not. */
  readonly after: () => Promise<void>
}

// One write after the other, so that no process does more than it may.
const definition: ReconcileFunction = { ...(gardenReconcile as ReconcileFunction), requestsInFlight: 1 }

export const gardenLives = (home: Home, { writes, after }: Course): GardenLives => {
  let deaths = 0
  const one = async (): Promise<'dies' | 'rests'> => {
    const life = mortalProcess(home, writes)
    await life.reconcile(definition, { namespace: '', name: gardenRef.name })
    await life.end()
    await after()
    if (!life.isDead()) return 'rests'
    deaths++
    return 'dies'
  }
  return {
    until: async isSo => {
      for (let rests = 0; rests < mostRests; ) {
        const before = home.revision()
        if ((await one()) === 'dies') continue
        rests++
        if (isSo((await home.local.get(gardenRef)) as Garden | undefined)) return
        await stirred(home.revision, before)
      }
      throw new Error(`it is not so after ${mostRests} of them had nothing left to write`)
    },
    deaths: () => {
      const died = deaths
      deaths = 0
      return died
    },
  }
}

/** Far more than are needed. On a slow machine fewer fit into the same time. */
const mostRests = 250

/** Changes in the virtual garden alone do not change the revision. */
const stirredSeconds = 1

/** Resolves when something has changed since then, and nothing more changes for a moment. */
const stirred = async (revision: () => string, before: string): Promise<void> => {
  let last = before
  const isQuiet = (now: string): boolean => {
    const isSame = now === last
    last = now
    return isSame && now !== before
  }
  await until(revision, isQuiet, stirredSeconds)
}
