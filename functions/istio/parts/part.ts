// A part of istio maintains one thing, for example the versions of Pods. Its facts are the field of Facts (world.ts) with the part's name.
// The part runs only if its stage is reached (all-parts.ts).
//
//   export const rivals = part({
//     name: 'rivals',
//     steps: ({ pods }) => pods.map(target => ({ do: 'delete', target })),
//     holds: ({ pods }) => pods.length > 0,
//     reports: (_, { results }) =>
//       results.some(({ error }) => error)
//         ? { findings: [failure(descriptions.rivals)] }
//         : { conditions: [{ reason: 'ReconcileUnknown' }] },
//   })
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import type { Part } from '../../../shared/core/decisions/parts.ts'
import type { EventNote, StatusChange, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { descriptions } from '../reasons.ts'
import type { AppliedVerdict } from '../rules/applied-configuration.ts'
import type { IstioFinding } from '../rules/findings.ts'
import type { Noted } from '../rules/restarts/restart-notes.ts'
import type { ConditionNote } from '../rules/status.ts'
import type { Facts, PartName, World } from '../world.ts'

export type IstioPartReport = {
  readonly findings?: readonly IstioFinding[]
  /** Another pass follows immediately, without saving the status first. */
  readonly again?: true
  /** Conditions except Ready, which is derived from the findings of all parts. */
  readonly conditions?: readonly ConditionNote[]
  /** Status fields that only this part writes: `installation` and `inventory`. */
  readonly status?: StatusChange
  /** New restart notes of this part. Notes of other targets stay. */
  readonly restarts?: NonNullable<IstioStatus['restarts']>
  readonly events?: readonly EventNote[]
  readonly measured?: readonly Measurement[]
}

export type PartTried = {
  readonly world: World
  /** Results of the part's own steps. */
  readonly results: readonly StepResult[]
  readonly now: Date
}

type PartOf<Name extends PartName> = {
  readonly name: Name
  /** The steps to take now. Absent: the part never writes. */
  readonly steps?: (facts: NonNullable<Facts[Name]>, world: World, now: Date) => readonly Step[]
  /**
   * Whether later stages must wait although the part has no steps, for example because Pods are not ready yet. Later stages also wait
   * while the part has steps.
   */
  readonly holds?: (facts: NonNullable<Facts[Name]>, world: World, now: Date) => boolean
  /** Whether the spec was in force before this pass's steps. Absent: the part does not affect this. */
  readonly inForce?: (facts: NonNullable<Facts[Name]>, world: World) => AppliedVerdict
  readonly reports: (facts: NonNullable<Facts[Name]>, tried: PartTried) => IstioPartReport
}

/** A part as a function of the world. Without facts it writes nothing, holds nothing and reports nothing. */
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

/** The report for a target whose note is missing or fresh. If something must be restarted, the Istio waits for the note. */
export const notedReport = ({ is, note, ended }: Noted, hasToRestart: boolean): IstioPartReport => {
  const noted = is === 'new' ? [note] : []
  if (!hasToRestart) return { restarts: ended ? [ended.over] : noted }
  return {
    findings: [{ state: 'Processing', description: descriptions.restarting, answer: 'targetNoted' }],
    restarts: noted,
  }
}
