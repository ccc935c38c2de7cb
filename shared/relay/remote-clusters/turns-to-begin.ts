// Clusters begin to be watched a few at a time. Each costs some ten TLS handshakes and lists; whoever begins hundreds at once ends none of
// them in the time that each has, and does not even hear of its own cluster meanwhile. Example: of 200 clusters ten begin; the eleventh
// does as soon as one of these has listed everything, or has failed to, and after ten seconds at the latest.
import { pause, type RelayClock } from '../time/clock.ts'

type Begun = {
  /** Resolves once everything was listed, or could not be. */
  readonly tried: Promise<unknown>
  end(): Promise<void>
}

const beginningMost = 10
/** A cluster that is slow, or means ill, delays the others no longer. */
const patienceMilliseconds = 10_000

/** Begins when it is its turn. The returned function ends what began, or the waiting for the turn. */
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
