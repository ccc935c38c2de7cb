// Events of many runtimes on their way to calls, in turns with the same agents posting to a bare server that parses and answers.
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

const slices = 12

/** All agents together, so many a second. */
export const events = async (
  { agents, called, writer: begun, cpu }: Listeners,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Events> => {
  const writer = await begun(agents, 4)
  const pace = { perSecond, seconds: seconds / slices }
  for (const target of ['ours', 'bare']) await writer.ask('write', target, pace, true)
  const before = cpu()
  for (let slice = 0; slice < slices; slice++) {
    progress(`events, ${slice + 1} of ${slices}`)
    await writer.ask('write', 'bare', pace)
    await writer.ask('write', 'ours', pace)
  }
  const lost = await lostOf(called, await writer.ask('lastSent'))
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
