// A Garden is tended by processes that die: each does so many writes, and another one begins with nothing but what is in the cluster.
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import type { Installation } from '../../../shared/api/installation.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { mortalProcess } from '../processes/mortal-process.ts'
import { until } from '../until.ts'
import { gardenRef } from './garden-ground.ts'

export type GardenLives = {
  /** They follow one another until one of them has nothing left to write, and it is so. */
  until(isSo: (garden: Garden | undefined) => boolean): Promise<void>
  /** How many died since it was asked last. */
  deaths(): number
}

type Home = {
  readonly local: Client
  readonly installation: Installation
  /** Another one whenever something changed in the cluster. */
  readonly revision: () => string
}

type Course = {
  /** How many each of them does. */
  readonly writes: number
  /** Looks when one of them has ended, dead or not. */
  readonly after: () => Promise<void>
}

// One write after the other, so that none does more than it may.
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

/** Far more than are needed; on a slow machine there are fewer in the same time. */
const mostRests = 250

/** What happens in the virtual garden alone is nothing to the revision. */
const stirredSeconds = 1

/** Resolves when something has happened since then, and no more happens for a moment. */
const stirred = async (revision: () => string, before: string): Promise<void> => {
  let last = before
  const isQuiet = (now: string): boolean => {
    const isSame = now === last
    last = now
    return isSame && now !== before
  }
  await until(revision, isQuiet, stirredSeconds)
}
