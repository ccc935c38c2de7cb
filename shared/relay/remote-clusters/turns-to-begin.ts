// The relay begins to watch at most ten clusters at a time. Each cluster costs some ten TLS handshakes and lists. If hundreds began at once,
// none would be listed in time, and events of the local cluster would wait, too. Example: of 200 clusters ten begin; the eleventh begins when
// one of the ten has listed everything or has failed, at the latest after ten seconds.
import { pause, type RelayClock } from '../time/clock.ts'

type Begun = {
  /** Resolves once everything was listed, or could not be. */
  readonly tried: Promise<unknown>
  end(): Promise<void>
}

const beginningMost = 10
/** A slow or hostile cluster delays the others no longer. */
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
