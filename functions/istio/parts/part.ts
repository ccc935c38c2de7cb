// What a part of istio is: one thing that it keeps in order, such as the versions of Pods. Each part is a file beside this one. Which parts
// there are, and which wait for which, is said in all-parts.ts. What a part knows is a field of Facts (world.ts), named like the part,
// and read by a reader in gather/ (gather/all-readers.ts). Where a part above writes or holds, it is not read, and the part does not run.
//
//   export const rivals = part({
//     name: 'rivals',
//     steps: ({ pods }) => pods.map(target => ({ do: 'delete', target })),
//     holds: ({ pods }) => pods.length > 0,
//     reports: (_, { results }) =>
//       results.some(({ error }) => error)
//         ? { findings: [{ state: 'Error', description: descriptions.rivals, answer: 'backoff' }] }
//         : { conditions: [{ reason: 'ReconcileUnknown' }] },
//   })
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import type { Part } from '../../../shared/core/decisions/parts.ts'
import type { EventNote, StatusChange, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { descriptions } from '../reasons.ts'
import type { AppliedVerdict } from '../rules/applied-fields.ts'
import type { ConditionNote } from '../rules/conditions.ts'
import type { IstioFinding } from '../rules/findings.ts'
import type { Noted } from '../rules/restarts/restart-notes.ts'
import type { Facts, PartName, World } from '../world.ts'

export type IstioPartReport = {
  /** What is wrong or under way; absent: all is as it should be. */
  readonly findings?: readonly IstioFinding[]
  /** Another pass follows at once, and the status need not say anything before it. */
  readonly again?: true
  /** Besides Ready, which is judged from the findings of all parts. */
  readonly conditions?: readonly ConditionNote[]
  /** Of the fields that are the part's alone: installation, inventory. */
  readonly status?: StatusChange
  /** What is noted of the part's own targets; others stay as they are. */
  readonly restarts?: NonNullable<IstioStatus['restarts']>
  readonly events?: readonly EventNote[]
  readonly measured?: readonly Measurement[]
}

export type PartTried = {
  readonly world: World
  /** Of its own steps. */
  readonly results: readonly StepResult[]
  readonly now: Date
}

type PartOf<Name extends PartName> = {
  readonly name: Name
  /** What it writes now; nothing where all is as it should be. Absent: it never writes. */
  readonly steps?: (facts: NonNullable<Facts[Name]>, world: World, now: Date) => readonly Step[]
  /**
   * Whether the stages below must wait, though the part has nothing to write: the Pods of an installation are not ready, say. Those below a
   * part that writes wait anyhow. Absent: they need not.
   */
  readonly holds?: (facts: NonNullable<Facts[Name]>, world: World, now: Date) => boolean
  /** Whether what the spec says is in force already, before the part's steps. Absent: the part has no say in it. */
  readonly inForce?: (facts: NonNullable<Facts[Name]>, world: World) => AppliedVerdict
  readonly reports: (facts: NonNullable<Facts[Name]>, tried: PartTried) => IstioPartReport
}

/** A part, asked with the world. While its facts are unread it writes nothing, holds nothing and reports nothing. */
export type IstioPart = Part<World, IstioPartReport> & {
  readonly name: PartName
  readonly holds: (world: World, now: Date) => boolean
  readonly inForce: (world: World) => AppliedVerdict
}

export const part = <Name extends PartName>({ name, steps, holds, inForce, reports }: PartOf<Name>): IstioPart => {
  const withFacts = <T>(world: World, ask: (facts: NonNullable<Facts[Name]>) => T | undefined, unread: T): T => {
    const facts = world.facts[name]
    return (facts && ask(facts)) ?? unread
  }
  return {
    name,
    steps: (world, now) => withFacts<readonly Step[]>(world, facts => steps?.(facts, world, now), []),
    holds: (world, now) => withFacts(world, facts => holds?.(facts, world, now), false),
    inForce: world => withFacts<AppliedVerdict>(world, facts => inForce?.(facts, world), {}),
    reports: (world, results, now) =>
      withFacts<IstioPartReport>(world, facts => reports(facts, { world, results, now }), {}),
  }
}

/** For a target that the status has not noted long enough. If something has to be restarted for it, the Istio waits for the note. */
export const notedReport = ({ is, note, ended }: Noted, hasToRestart: boolean): IstioPartReport => {
  const noted = is === 'new' ? [note] : []
  if (!hasToRestart) return { restarts: ended ? [ended.over] : noted }
  return {
    findings: [{ state: 'Processing', description: descriptions.restarting, answer: 'targetNoted' }],
    restarts: noted,
  }
}
