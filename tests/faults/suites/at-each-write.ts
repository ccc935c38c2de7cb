// A fault at each write of a story: at all of them in one run, and at each alone. What the second shows beyond the first is how the loop
// goes on in a call that nothing strikes any more, and the loop is the same for all: on embedded clusters it is told whole of one function.
// On the real control plane, and with ESPALIER_THOROUGH, it is told whole of every function.
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

/** As it is injected: a kill ends the call that is under way. */
const withKiller = (fault: Fault, killer: Killer): Fault =>
  fault.do === 'kill' ? { ...fault, onKill: killer.kill } : fault

/**
 * Each of these writes of the clean run alone meets the fault: in the first run the first of them in each stage, in the second run the
 * second, and so on. As each stage must end as in the clean run, what befell one is nothing to the next.
 */
const faultAtOneWrite = async (t: Test, { ground, clean, writes, ...trial }: Rehearsed, fault: Fault) => {
  const runs = oneOfEachStage(writes)
  t.equal(runs.flat().length, writes.length, 'each of them has a run')
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

/** All of them, in as few groups as there may be. */
const oneOfEachStage = (writes: readonly NumberedWrite[]): NumberedWrite[][] => {
  const stages = [...Map.groupBy(writes, ({ stage }) => stage).values()]
  const most = Math.max(0, ...stages.map(({ length }) => length))
  return Array.from({ length: most }, (_, index) => stages.flatMap(ofStage => ofStage[index] ?? []))
}

/**
 * In one run all writes meet the fault, so what each leaves behind is what the next call begins with. As many as the stage has in the
 * clean run: some are made in every call that waits, like Events that count. Answers those of the clean run that met none, such as a
 * status in between, which a later call finds to be the past.
 */
const faultAtEveryWrite = async (t: Test, { ground, clean, writes, ...trial }: Rehearsed, fault: Fault) => {
  const killer = newKiller()
  // Of writes that a dead call had begun beside the struck one none was done, so none of them is sent again.
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

/** Without what a name is made of anew in each run. */
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

/** Of this function each write is struck alone as well: what holds for the loop shows with it. */
const triedWhole = ['component']
/** Of these every tenth, from the first one on: they are not run on the real control plane, where all writes are struck alone. */
const sampled = ['istio', 'garden-reconcile']
const isSampled = ({ nth }: NumberedWrite): boolean => nth % 10 === 1

/** At all writes in one run, and at one alone in each of several runs. */
export const faultAtEachWrite = async (t: Test, rehearsed: Rehearsed, fault: Fault) => {
  const { writes, definition } = rehearsed
  const unstruck = await faultAtEveryWrite(t, rehearsed, fault)
  const isWhole = isThorough || isRealCluster || triedWhole.includes(definition.name)
  const isTaken = sampled.includes(definition.name) ? isSampled : () => false
  // Those that no run with all writes struck makes are struck alone wherever it is.
  const alone = isWhole ? writes : writes.filter(write => isTaken(write) || unstruck.includes(write))
  await faultAtOneWrite(t, { ...rehearsed, writes: alone }, fault)
}
