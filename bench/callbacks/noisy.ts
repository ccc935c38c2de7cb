// What one noisy runtime costs the others: they report at their pace, in turns with and without it, to ours and to a bare server, which
// answers the noisy one as well.
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

const slices = 8
const targets = ['bare', 'ours'] as const

/** The last agent is the noisy one. */
export const noisy = async (
  { agents, writer, noiseWriter, cpu }: Listeners,
  { quietPerSecond, noisyPerSecond, seconds }: Pace,
): Promise<Noisy> => {
  const others = agents.slice(0, -1)
  const [alone, beside] = [await writer(others, 1), await writer(others, 1)]
  const noise = await noiseWriter(agents.at(-1) as Agent, noisyConnections)
  const [quietly, loudly] = [quietPerSecond, noisyPerSecond].map(perSecond => ({
    perSecond,
    seconds: seconds / slices,
  }))
  if (!quietly || !loudly) throw new Error('no pace')
  const spent = { ours: 0, bare: 0 }
  for (const target of targets)
    for (const one of [alone, beside, noise]) await one.ask('write', target, { ...quietly, seconds: 1 }, true)
  for (let slice = 0; slice < slices; slice++)
    for (const target of targets) {
      progress(`a noisy runtime, ${slice + 1} of ${slices}, ${target}`)
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
