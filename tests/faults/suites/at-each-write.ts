// Injects a fault at each write of a story: in one run at all writes, and in further runs at single writes. The runs with a single fault
// show how a call continues after the fault. All functions share this loop. On embedded clusters, only the function `component` therefore
// gets a run for each write. On the real control plane, and with ESPALIER_THOROUGH, every function does.
import type { Test } from 'tap'
import { isRealCluster } from '../../harness/clusters/any-cluster.ts'
import { isThorough } from '../../harness/runner/behaviour.ts'
import { type Fault, isRefusal } from '../proxy/faults.ts'
import { type Entry, objectText } from '../proxy/ledger.ts'
import { writeVerbs } from '../proxy/request.ts'
import type { Injected } from '../proxy/rules.ts'
import type { Scenario } from '../scenario.ts'
import { lostIn } from './nothing-lost.ts'
import { type NumberedWrite, type Rehearsed, writeText } from './rehearsal.ts'
import { type Killer, newKiller, tell } from './story.ts'

/** A kill also ends the running call. */
const withKiller = (fault: Fault, killer: Killer): Fault =>
  fault.do === 'kill' ? { ...fault, onKill: killer.kill } : fault

/**
 * Strikes one write per stage: in the first run the first write of each stage, in the second run the second write, and so on. Each stage
 * must end as in the clean run, so the fault of a stage does not affect the next stage.
 */
const faultAtOneWrite = async (t: Test, { ground, clean, writes, ...trial }: Rehearsed, fault: Fault) => {
  const runs = oneOfEachStage(writes)
  t.equal(runs.flat().length, writes.length, 'each write has a run')
  for (const struck of runs) {
    const killer = newKiller()
    const injected = new Map<NumberedWrite, Injected>()
    const removeAll = () => injected.forEach(({ remove }) => void remove())
    const run = await tell(trial, {
      killer,
      before: stage => {
        removeAll()
        const write = struck.find(one => one.stage === stage)
        const rule = { match: { verbs: writeVerbs }, nth: write?.nth, fault: withKiller(fault, killer) }
        if (write) injected.set(write, ground.proxy.inject(rule))
      },
    })
    removeAll()
    const texts = struck.map(({ entry, stage, nth }) => `write ${nth} of stage ${stage + 1}: ${writeText(entry)}`)
    for (const [index, write] of struck.entries())
      t.equal(injected.get(write)?.struck(), 1, `was struck: ${texts[index]}`)
    t.strictSame(lostIn(run, clean), [], texts.join())
  }
}

/** Groups with at most one write per stage, in as few groups as possible. */
const oneOfEachStage = (writes: readonly NumberedWrite[]): NumberedWrite[][] => {
  const stages = [...Map.groupBy(writes, ({ stage }) => stage).values()]
  const most = Math.max(0, ...stages.map(({ length }) => length))
  return Array.from({ length: most }, (_, index) => stages.flatMap(ofStage => ofStage[index] ?? []))
}

/**
 * Strikes all writes in one run, so the next call begins with the result of the fault. Strikes at most as many writes per stage as the clean
 * run has there, because waiting calls repeat some writes, for example counted Events. Returns the writes of the clean run that no fault
 * struck, for example an intermediate status that a later call skips.
 */
const faultAtEveryWrite = async (t: Test, { ground, clean, writes, ...trial }: Rehearsed, fault: Fault) => {
  const killer = newKiller()
  // A killed call also loses the writes that it sent at the same time. None of these writes was performed, so the fault spares their repetition.
  const isSparedAgain = fault.do === 'swallow'
  const rule = { match: { verbs: writeVerbs }, times: Infinity, isSparedAgain, fault: withKiller(fault, killer) }
  const struck: Entry[][] = []
  const strikes = (): Entry[] =>
    trial.ledger
      .writes()
      .filter(entry => entry.fault === fault.do && !isRefusal(entry))
      .slice(struck.flat().length)
  let injected: Injected | undefined
  const run = await tell(trial, {
    killer,
    before: () => {
      injected = ground.proxy.inject(rule)
    },
    call: once => {
      const stage = struck.length
      if (strikes().length >= writes.filter(write => write.stage === stage).length) injected?.remove()
      return once()
    },
    after: async () => {
      injected?.remove()
      struck.push(strikes())
    },
  })
  const textOf = sameInEachRun(trial.scenario)
  const texts = struck.map(entries => entries.map(textOf))
  t.ok(texts.flat().length > 0, `struck ${texts.map(({ length }) => length)} times`)
  t.strictSame(lostIn(run, clean), [], 'all writes of each stage')
  return writes.filter(({ entry, stage }) => !hasTaken(texts[stage] ?? [], textOf(entry)))
}

/** The write as a text, without the parts of names that differ in each run. */
const sameInEachRun =
  ({ volatileNames = /$^/ }: Scenario) =>
  (entry: Entry): string =>
    entry.resource === 'events'
      ? `${entry.verb} events`
      : `${entry.verb} ${entry.resource} ${objectText(entry).replace(volatileNames, '')}`

const hasTaken = (texts: string[], text: string): boolean => {
  const index = texts.indexOf(text)
  return index >= 0 && texts.splice(index, 1).length > 0
}

/** Functions of which every write also gets its own run. One is enough, because all functions share the loop. */
const triedWhole = ['component']
/** Functions of which every tenth write gets its own run, because they do not run on the real control plane. */
const sampled = ['istio', 'garden-reconcile']
const isSampled = ({ nth }: NumberedWrite): boolean => nth % 10 === 1

/** One run with faults at all writes, then runs with faults at single writes. */
export const faultAtEachWrite = async (t: Test, rehearsed: Rehearsed, fault: Fault) => {
  const { writes, definition } = rehearsed
  const unstruck = await faultAtEveryWrite(t, rehearsed, fault)
  const isWhole = isThorough || isRealCluster || triedWhole.includes(definition.name)
  const isTaken = sampled.includes(definition.name) ? isSampled : () => false
  // Writes that the first run did not strike always get their own run.
  const alone = isWhole ? writes : writes.filter(write => isTaken(write) || unstruck.includes(write))
  await faultAtOneWrite(t, { ...rehearsed, writes: alone }, fault)
}
