// What is tried: one scenario of one function, on ground of its own.
import type { Test } from 'tap'
import { loadFunctions } from '../../functions/index.ts'
import type { FunctionDefinition, ReconcileFunction } from '../../shared/runtime/definition.ts'
import { type Ground, type NewCluster, newGround } from './ground.ts'
import { type Scenario, scenariosOf } from './scenario.ts'

export type Trying = {
  readonly ground: Ground
  readonly definition: ReconcileFunction
  readonly scenario: Scenario
  /** How many scenarios the function has, for what is shared out among them. */
  readonly scenarios: number
}

/** Every function that reconciles. */
export const reconcilers = async (): Promise<readonly ReconcileFunction[]> =>
  (await loadFunctions()).filter((definition: FunctionDefinition) => definition.does === 'reconcile')

/** Each scenario of the function of this name. */
export const everyTrying = async (t: Test, name: string, newCluster: NewCluster): Promise<Trying[]> => {
  const [definition] = await loadFunctions([name])
  if (definition?.does !== 'reconcile') throw new Error(`there is no function ${name} that reconciles`)
  const own = await scenariosOf(definition)
  return Promise.all(
    own.map(async scenario => ({
      ground: await newGround(t, newCluster),
      definition,
      scenario,
      scenarios: own.length,
    })),
  )
}
