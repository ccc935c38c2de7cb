// A function in parts: each keeps one thing in order, such as the modules of a Kyma. It decides what it writes, all steps are performed
// together, and then each part reports from the results of its own steps. Which parts run, and when, the function says.
//
//   const decided = decidedParts([modules, pullSecret], world, now)
//   const steps = decided.flatMap(one => one.steps) // of the plan
//   partReports(decided, { world, results, now }) // [{ modules: […] }, { condition: … }]
import type { Step, StepResult } from './plan.ts'

export type Part<World, Report> = {
  readonly name: string
  /** What it writes now; nothing where all is as it should be. */
  readonly steps: (world: World, now: Date) => readonly Step[]
  /** What it reports after its steps were tried. `results` are those of its own steps. */
  readonly reports: (world: World, results: readonly StepResult[], now: Date) => Report
}

export type DecidedPart<Of> = { readonly part: Of; readonly steps: readonly Step[] }

export const decidedParts = <World, Of extends Part<World, unknown>>(
  parts: readonly Of[],
  world: World,
  now: Date,
): readonly DecidedPart<Of>[] => parts.map(part => ({ part, steps: part.steps(world, now) }))

type Tried<World> = { readonly world: World; readonly results: readonly StepResult[]; readonly now: Date }

/** In the order of the parts. `results` are those of all steps of the plan. */
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
