// All fault tests of one function. tests/faults/functions/ has a file for each function that reconciles, so that they run
// side by side; a function without one fails the instruments' test.
import type { Test } from 'tap'
import { isRealCluster } from '../harness/clusters/any-cluster.ts'
import { isThorough } from '../harness/runner/behaviour.ts'
import { clustersOf } from './ground.ts'
import { aroundAFunction } from './suites/around-a-function.ts'
import { aroundTheRelay, missedEvents } from './suites/around-the-relay.ts'
import { realProcesses } from './suites/real-processes.ts'
import { everyTrying, type Trying } from './trying.ts'

/**
 * To the relay scenarios differ by where their events come from: from the objects of an inventory, from other kinds, from other clusters.
 * What breaks around it is told with these; of the others, that their own subscriptions bring everything.
 */
const differentlyRelayed = new Map([
  ['component', 'a chart is installed, changed and removed'],
  ['garden-reference', 'references come, are exchanged and go'],
  ['kyma', 'the copy and the catalogue in a runtime come, are edited by hand and go'],
  ['manifest', 'a layer is installed, replaced and removed'],
])

const isRelayedWhole = ({ definition, scenario }: Trying): boolean =>
  isThorough || differentlyRelayed.get(definition.name) === scenario.title

type Suite = {
  title: string
  prove: (t: Test, trying: Trying) => Promise<void>
  /** What is told of the scenarios that are not told whole. */
  ofOthers?: Suite['prove']
  /** Only with these functions. */
  only?: readonly string[]
}

const suites: readonly Suite[] = [
  { title: 'whatever breaks around the function', prove: aroundAFunction, ofOthers: aroundAFunction },
  { title: 'whatever breaks between relay, host and API server', prove: aroundTheRelay, ofOthers: missedEvents },
  {
    title: 'RE-01 RE-14 host and relay are real processes and are killed in the middle of their work',
    prove: realProcesses,
    // One whose objects are in the cluster, and one with two clusters: whatever else differs is told without processes.
    only: ['component', 'kyma'],
  },
]

/** Most of the time of a suite is waiting, so on embedded clusters of their own they go on side by side. */
const sideBySide = isRealCluster ? 1 : suites.length

/** `t` is the file's, `name` the function's. */
export const nothingIsLostFor = async (t: Test, name: string): Promise<void> => {
  t.jobs = sideBySide
  const newCluster = await clustersOf(t)
  const isSuiteHere = ({ ofOthers, only = [...differentlyRelayed.keys()] }: Suite): boolean =>
    ofOthers !== undefined || isThorough || only.includes(name)
  const told = suites.filter(isSuiteHere).map(suite =>
    t.test(`${name}: nothing is lost, ${suite.title}`, async t => {
      const all = await everyTrying(t, name, newCluster)
      t.equal(all.some(isRelayedWhole), isThorough || differentlyRelayed.has(name), 'the scenario meant is there')
      for (const trying of all) await tellSuite(t, suite, trying)
    }),
  )
  await Promise.all(told)
}

const tellSuite = async (t: Test, { prove, ofOthers }: Suite, trying: Trying): Promise<void> => {
  const chosen = isRelayedWhole(trying) ? prove : ofOthers
  if (chosen) await t.test(trying.scenario.title, t => chosen(t, trying))
}
