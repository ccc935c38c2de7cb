// Who is tried: every function of the list that reconciles, in each of its scenarios. A new function joins by being in
// the list; without a scenario it fails here.
import type { Test } from 'tap'
import { loadFunctions } from '../../functions/index.ts'
import type { FunctionDefinition, ReconcileFunction } from '../../shared/runtime/definition.ts'
import { isRealCluster } from '../harness/any-cluster.ts'
import { type Ground, newGround } from './ground.ts'
import { type Scenario, scenariosOf } from './scenario.ts'

export type Trying = {
  readonly ground: Ground
  readonly definition: ReconcileFunction
  readonly scenario: Scenario
  /** How many scenarios there are, for what is shared out among them. */
  readonly scenarios: { readonly all: number; readonly ofFunction: number }
}

/** Most of the time of a trial is waiting, so on embedded clusters of their own some can go on side by side. */
const sideBySide = isRealCluster ? 1 : 4

export const forEveryScenario = async (t: Test, prove: (t: Test, trying: Trying) => Promise<void>): Promise<void> => {
  t.jobs = sideBySide
  const all = await everyScenario()
  t.ok(all.length > 0, 'there are functions to be tried')
  const common = isRealCluster ? await newGround(t) : undefined
  const trials = all.map(({ definition, scenario }) =>
    t.test(`${definition.name}: ${scenario.title}`, async t => {
      const ground = common ?? (await newGround(t))
      const ofFunction = all.filter(other => other.definition === definition).length
      await prove(t, { ground, definition, scenario, scenarios: { all: all.length, ofFunction } })
    }),
  )
  await Promise.all(trials)
}

/** The first scenario of each function, all on the same ground. */
export const scenarioOfEach = async (ground: Ground): Promise<Trying[]> => {
  const all = await everyScenario()
  const firsts = all.filter((one, index) => all.findIndex(other => other.definition === one.definition) === index)
  return firsts.map(one => ({ ...one, ground, scenarios: { all: firsts.length, ofFunction: 1 } }))
}

const everyScenario = async (): Promise<Pick<Trying, 'definition' | 'scenario'>[]> => {
  const all = (await loadFunctions()).filter(isReconcile).map(async definition => {
    const scenarios = await scenariosOf(definition)
    return scenarios.map(scenario => ({ definition, scenario }))
  })
  return (await Promise.all(all)).flat()
}

const isReconcile = (definition: FunctionDefinition): definition is ReconcileFunction => definition.does === 'reconcile'
