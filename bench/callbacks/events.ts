// Events of many runtimes on their way to calls, and before and after them the same agents posting to a bare server that parses and answers.
import { progress } from '../measure/report.ts'
import type { Worker } from '../measure/worker.ts'
import type { Reported } from '../programs/event-writer.ts'
import type { FunctionHost } from '../programs/function-host.ts'
import type { Listeners } from './stage.ts'

export type Events = {
  readonly ours: Reported
  readonly bare: Reported
  /** For an event; of ours with the relay. */
  readonly cpuMilliseconds: { readonly host: number; readonly relay: number; readonly bare: number }
  /** Of the runtimes, those that were not called after their last event. */
  readonly lost: number
}

const warmUpSeconds = 5

/** All agents together, so many a second. Ours without a break, since what the host knows of a runtime is read again after a pause. */
export const events = async (
  { agents, called, writer: begun, cpu }: Listeners,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Events> => {
  const writer = await begun(agents, 4)
  const write = async (target: 'ours' | 'bare', lasting: number, isWarmUp = false) => {
    progress(`events, ${lasting} s, ${target}`)
    await writer.ask('write', target, { perSecond, seconds: lasting }, isWarmUp)
  }
  for (const target of ['ours', 'bare'] as const) await write(target, warmUpSeconds, true)
  const before = cpu()
  await write('bare', seconds / 2)
  await write('ours', seconds)
  await write('bare', seconds / 2)
  const lost = await lostOf(called, await writer.ask('lastSent', 'ours'))
  const told = { ours: await writer.ask('told', 'ours'), bare: await writer.ask('told', 'bare'), lost }
  await writer.end()
  const after = cpu()
  const spent = (program: keyof typeof after) => ((after[program] - before[program]) * 1_000) / told.ours.events
  return { ...told, cpuMilliseconds: { host: spent('host'), relay: spent('relay'), bare: spent('bare') } }
}

const settleSeconds = 10

/** A runtime counts as lost when nothing was called for it after its last event, some seconds later still. */
const lostOf = async (called: Worker<FunctionHost>, lastSent: ReadonlyMap<string, number>): Promise<number> => {
  for (const until = Date.now() + settleSeconds * 1_000; ; ) {
    const { lastCalls } = await called.ask('seen')
    const lost = [...lastSent].filter(([name, sent]) => (lastCalls.get(name) ?? 0) < sent).length
    if (lost === 0 || Date.now() > until) return lost
  }
}
