// Starts the watches of at most ten clusters at a time. Each cluster costs about ten TLS handshakes and lists. If hundreds of clusters
// started at once, no list would end in time, and events of the local cluster would wait. Example: of 200 clusters, ten start. The eleventh
// cluster starts when one of the ten has listed everything or failed, at the latest after ten seconds.
import { pause, type RelayClock } from '../time/clock.ts'

type Begun = {
  readonly tried: Promise<unknown>
  end(): Promise<void>
}

const beginningMost = 10
/** Limits the delay that a slow or hostile cluster can cause. */
const patienceMilliseconds = 10_000

/** Calls `begin` in its turn. The returned function ends the started watches, or the waiting. */
export const turnsToBegin = (clock: RelayClock): ((begin: () => Begun) => () => Promise<void>) => {
  const waiting = new Set<() => void>()
  let beginning = 0
  const next = (): void => {
    const [first] = waiting
    if (first === undefined || beginning === beginningMost) return
    waiting.delete(first)
    first()
  }
  const untilTried = async ({ tried }: Begun): Promise<void> => {
    const patience = new AbortController()
    await Promise.race([tried, pause(clock, patienceMilliseconds, patience.signal)])
    patience.abort()
    beginning--
    next()
  }
  return begin => {
    let begun: Begun | undefined
    const turn = (): void => {
      beginning++
      begun = begin()
      void untilTried(begun)
    }
    waiting.add(turn)
    next()
    return async () => {
      waiting.delete(turn)
      await begun?.end()
    }
  }
}
