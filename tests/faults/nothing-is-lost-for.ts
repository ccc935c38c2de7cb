// All fault tests of one function. tests/faults/functions/ has a file for each function that reconciles, so that they run
// side by side; a function without one fails the instruments' test.
import t from 'tap'
import { isRealCluster } from '../harness/any-cluster.ts'
import { isThorough } from '../harness/behaviour.ts'
import { aroundAFunction } from './around-a-function.ts'
import { aroundTheRelay, missedEvents } from './around-the-relay.ts'
import { clustersOf } from './ground.ts'
import { realProcesses } from './real-processes.ts'
import { everyTrying } from './trying.ts'

const aroundTheFunction = { title: 'whatever breaks around the function', prove: aroundAFunction }
const betweenAll = 'whatever breaks between relay, host and API server'

const suites = [
  aroundTheFunction,
  { title: betweenAll, prove: aroundTheRelay },
  {
    title: 'RE-01 RE-14 host and relay are real processes and are killed in the middle of their work',
    prove: realProcesses,
  },
]

/** What every function must have told by itself. */
const leastSuites = [aroundTheFunction, { title: betweenAll, prove: missedEvents }]

/**
 * To the relay functions differ by where their events come from: from the objects of an inventory, from other kinds, from other
 * clusters. What breaks around it is told with these; of the others, that their own subscriptions bring everything.
 */
const differentlyRelayed = ['component', 'garden-reference', 'kyma', 'manifest']

const suitesFor = (name: string) => (isThorough || differentlyRelayed.includes(name) ? suites : leastSuites)

/** Most of the time of a suite is waiting, so on embedded clusters of their own they go on side by side. */
const sideBySide = isRealCluster ? 1 : suites.length

/** `name` is the function's. */
export const nothingIsLostFor = async (name: string): Promise<void> => {
  t.jobs = sideBySide
  const newCluster = await clustersOf(t)
  const told = suitesFor(name).map(({ title, prove }) =>
    t.test(`${name}: nothing is lost, ${title}`, async t => {
      for (const trying of await everyTrying(t, name, newCluster))
        await t.test(trying.scenario.title, t => prove(t, trying))
    }),
  )
  await Promise.all(told)
}
