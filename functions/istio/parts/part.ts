// What a part of istio is: one thing that it keeps in order, such as the versions of Pods. Each part is a file beside this one. Which parts
// there are, and which wait for which, is said in all-parts.ts. What a part knows is a field of Facts (world.ts), named like the part,
// and read by a reader in gather/ (gather/all-readers.ts); where a part above stops, it is not read, and the part does not run.
//
//   export const rivals = part({
//     name: 'rivals',
//     steps: ({ pods }) => pods.map(target => ({ do: 'delete', target })),
//     tells: (_, { results }) =>
//       results.some(({ error }) => error)
//         ? { findings: [{ state: 'Error', description: descriptions.rivals, answer: 'backoff' }], stops: true }
//         : { conditions: [{ reason: 'ReconcileUnknown' }] },
//   })
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { Measurement } from '../../../shared/core/measurement.ts'
import type { EventNote, StatusChange, Step, StepResult } from '../../../shared/core/plan.ts'
import type { AppliedField } from '../rules/applied-fields.ts'
import type { ConditionNote } from '../rules/conditions.ts'
import type { IstioFinding } from '../rules/findings.ts'
import type { Facts, PartName, World } from '../world.ts'

export type IstioTelling = {
  /** What is wrong or under way; absent: all is as it should be. */
  readonly findings?: readonly IstioFinding[]
  /** The parts below need what is not there yet. Those below a part that writes wait for the next pass anyhow. */
  readonly stops?: true
  /** There is more to do at once, and nothing to tell before. */
  readonly again?: true
  /** Besides Ready, which is judged from the findings of all parts. */
  readonly conditions?: readonly ConditionNote[]
  /** Of the fields that are the part's alone: installation, inventory. */
  readonly status?: StatusChange
  /** What is noted of the part's own targets; others stay as they are. */
  readonly restarts?: NonNullable<IstioStatus['restarts']>
  /**
   * Whether what the spec says there is in force, as far as this part is concerned. The annotation takes over what no part denies.
   * It counts what the part tells before its steps.
   */
  readonly applied?: Partial<Readonly<Record<AppliedField, boolean>>>
  readonly events?: readonly EventNote[]
  readonly measured?: readonly Measurement[]
}

/** What a part tells from, after its steps were tried. */
export type PartTried = {
  readonly world: World
  /** Of its own steps; none before they were tried. */
  readonly results: readonly StepResult[]
  readonly now: Date
}

type PartOf<Name extends PartName> = {
  readonly name: Name
  /** What it writes now; nothing where all is as it should be. */
  readonly steps: (facts: NonNullable<Facts[Name]>, world: World, now: Date) => readonly Step[]
  readonly tells: (facts: NonNullable<Facts[Name]>, tried: PartTried) => IstioTelling
}

/** A part whose facts may be unread: then it writes nothing and tells nothing. */
export type IstioPart = {
  readonly name: PartName
  readonly steps: (world: World, now: Date) => readonly Step[]
  readonly tells: (tried: PartTried) => IstioTelling
}

export const part = <Name extends PartName>({ name, steps, tells }: PartOf<Name>): IstioPart => ({
  name,
  steps: (world, now) => {
    const facts = world.facts[name]
    return facts ? steps(facts, world, now) : []
  },
  tells: tried => {
    const facts = tried.world.facts[name]
    return facts ? tells(facts, tried) : {}
  },
})
