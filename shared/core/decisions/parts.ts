// Splits a large function into parts, such as the modules of a Kyma. Each part decides its own steps. All steps are performed together,
// and then each part reports from the results of its own steps.
//
//   const decided = decidedParts([modules, pullSecret], world, now)
//   const steps = decided.flatMap(one => one.steps) // of the plan
//   partReports(decided, { world, results, now }) // [{ modules: […] }, { condition: … }]
import type { Step, StepResult } from './plan.ts'

export type Part<World, Report> = {
  readonly name: string
  readonly steps: (world: World, now: Date) => readonly Step[]
  /** `results` are the results of this part's own steps. */
  readonly reports: (world: World, results: readonly StepResult[], now: Date) => Report
}

export type DecidedPart<OnePart> = { readonly part: OnePart; readonly steps: readonly Step[] }

export const decidedParts = <World, OnePart extends Part<World, unknown>>(
  parts: readonly OnePart[],
  world: World,
  now: Date,
): readonly DecidedPart<OnePart>[] => parts.map(part => ({ part, steps: part.steps(world, now) }))

type Tried<World> = { readonly world: World; readonly results: readonly StepResult[]; readonly now: Date }

/** Returns reports in the order of the parts. `results` are the results of all steps of the plan. */
export const partReports = <World, Report>(
  decided: readonly DecidedPart<Part<World, Report>>[],
  { world, results, now }: Tried<World>,
): readonly Report[] =>
  decided.map(({ part, steps }) =>
    part.reports(
      world,
      results.filter(({ step }) => steps.includes(step)),
      now,
    ),
  )
