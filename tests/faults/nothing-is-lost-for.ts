// All fault tests of one function. tests/faults/functions/ has a file for each function that reconciles, so that they run
// side by side; a function without one fails the instruments' test.
import t from 'tap'
import { isRealCluster } from '../harness/any-cluster.ts'
import { aroundAFunction } from './around-a-function.ts'
import { aroundTheRelay } from './around-the-relay.ts'
import { clustersOf } from './ground.ts'
import { realProcesses } from './real-processes.ts'
import { everyTrying } from './trying.ts'

const suites = [
  { title: 'whatever breaks around the function', prove: aroundAFunction },
  { title: 'whatever breaks between relay, host and API server', prove: aroundTheRelay },
  {
    title: 'RE-01 RE-14 host and relay are real processes and are killed in the middle of their work',
    prove: realProcesses,
  },
]

/** Most of the time of a suite is waiting, so on embedded clusters of their own they go on side by side. */
const sideBySide = isRealCluster ? 1 : suites.length

/** `name` is the function's. */
export const nothingIsLostFor = async (name: string): Promise<void> => {
  t.jobs = sideBySide
  const newCluster = await clustersOf(t)
  const told = suites.map(({ title, prove }) =>
    t.test(`${name}: nothing is lost, ${title}`, async t => {
      for (const trying of await everyTrying(t, name, newCluster))
        await t.test(trying.scenario.title, t => prove(t, trying))
    }),
  )
  await Promise.all(told)
}
