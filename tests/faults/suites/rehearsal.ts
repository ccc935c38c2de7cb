// A scenario told once without any fault: what disturbed runs are compared with, and the writes that faults may meet.
import type { Test } from 'tap'
import { keyText } from '../../../shared/core/objects/object.ts'
import type { Entry } from '../proxy/ledger.ts'
import type { Trying } from '../trying.ts'
import { lostIn, type Traces } from './nothing-lost.ts'
import { brokenPromises, type Trial, tell } from './story.ts'

/** A trial whose scenario has been told once without any fault: what disturbed runs are compared with. */
export type Rehearsed = Trial & Trying & { clean: Traces; writes: readonly NumberedWrite[]; arrivals: number }

/** A write of the clean run: the `nth` of its stage. */
export type NumberedWrite = { readonly entry: Entry; readonly stage: number; readonly nth: number }

export const rehearse = async (t: Test, trying: Trying): Promise<Rehearsed> => {
  const { ground, definition, scenario } = trying
  await ground.world.furnish(scenario)
  const client = await ground.clientOf(definition)
  const trial = { ...trying, world: ground.world, client, far: ground.far, ledger: ground.proxy.ledger }
  const begins: number[] = []
  const clean = await tell(trial, { before: () => void begins.push(trial.ledger.writes().length) })
  const writes = trial.ledger.writes().map((entry, index) => {
    const stage = begins.findLastIndex(begin => begin <= index)
    return { entry, stage, nth: index + 1 - (begins[stage] ?? 0) }
  })
  t.strictSame(brokenPromises(scenario, clean), [], 'the undisturbed run keeps the scenario’s promises')
  t.strictSame(lostIn(clean, clean), [], 'and is quiet in the end')
  t.ok(writes.length > 0, 'and writes')
  return { ...trial, clean, writes, arrivals: trial.ledger.arrivals.length }
}

export const writeText = ({ verb, resource, namespace, name }: Entry): string =>
  `${verb} ${resource} ${keyText({ namespace, name })}`
