// What one noisy runtime costs the others: they report at their pace, in turns with and without it, to ours and to a bare server, which
// answers the noisy one as well. Ours is reported to without a break, since what the host knows of a runtime is read again after a pause.
import { progress } from '../measure/report.ts'
import type { Agent, Reported } from '../programs/event-writer.ts'
import type { Noise } from '../programs/noise-writer.ts'
import type { Listeners } from './stage.ts'

export type Quiet = { readonly alone: Reported; readonly beside: Reported }

export type Noisy = {
  /** What the others found. */
  readonly ours: Quiet
  readonly bare: Quiet
  /** What the noisy one found. */
  readonly noise: { readonly ours: Noise; readonly bare: Noise }
  /** Of the host, for a request of the noisy one, and of the bare server. */
  readonly cpuMilliseconds: { readonly ours: number; readonly bare: number }
}

type Pace = { readonly quietPerSecond: number; readonly noisyPerSecond: number; readonly seconds: number }

/** One turn is without the noisy one and then with it. Those of ours follow each other at once. */
const turns = ['bare', 'ours', 'ours', 'bare'] as const
const turnsOfEach = turns.length / 2

const warmUpSeconds = 6

/** The last agent is the noisy one. Each target is reported to for so many seconds without it, and for as many with it. */
export const noisy = async (
  { agents, writer, noiseWriter, cpu }: Listeners,
  { quietPerSecond, noisyPerSecond, seconds }: Pace,
): Promise<Noisy> => {
  const others = agents.slice(0, -1)
  const [alone, beside] = [await writer(others, 1), await writer(others, 1)]
  const noise = await noiseWriter(agents.at(-1) as Agent, noisyConnections)
  const quietly = { perSecond: quietPerSecond, seconds: seconds / turnsOfEach }
  const loudly = { perSecond: noisyPerSecond, seconds: seconds / turnsOfEach }
  const spent = { ours: 0, bare: 0 }
  for (const target of ['bare', 'ours'] as const)
    for (const one of [noise, beside, alone])
      await one.ask('write', target, { ...quietly, seconds: warmUpSeconds }, true)
  for (const [turn, target] of turns.entries()) {
    progress(`a noisy runtime, turn ${turn + 1} of ${turns.length}, ${target}`)
    const before = cpu()
    await alone.ask('write', target, quietly)
    const between = cpu()
    await Promise.all([beside.ask('write', target, quietly), noise.ask('write', target, loudly)])
    const after = cpu()
    const program = target === 'ours' ? 'host' : 'bare'
    spent[target] += after[program] - between[program] - (between[program] - before[program])
  }
  const told = async (target: 'ours' | 'bare'): Promise<Quiet> => ({
    alone: await alone.ask('told', target),
    beside: await beside.ask('told', target),
  })
  const noiseTold = { ours: await noise.ask('told', 'ours'), bare: await noise.ask('told', 'bare') }
  const each = (target: 'ours' | 'bare') => (spent[target] * 1_000) / noiseTold[target].events
  return {
    ours: await told('ours'),
    bare: await told('bare'),
    noise: noiseTold,
    cpuMilliseconds: { ours: each('ours'), bare: each('bare') },
  }
}

/** So many of its requests are under way at once. */
const noisyConnections = 16
