// Determines the status of an Istio after the steps, the Events, and the time of the next call.
import type { IstioStatus } from '../../shared/api/istio.ts'
import { partReports } from '../../shared/core/decisions/parts.ts'
import type { Report, StatusChange, StepResult } from '../../shared/core/decisions/plan.ts'
import type { IstioPlan } from './decide.ts'
import { isThrough, type PartsRun } from './parts/all-parts.ts'
import type { IstioPartReport } from './parts/part.ts'
import { descriptions } from './reasons.ts'
import { failure, type IstioFinding, nextAfter, readyReason, worstOf } from './rules/findings.ts'
import { type ConditionNote, istioConditions, keptReport } from './rules/status.ts'
import type { World } from './world.ts'

export const report = (world: World, plan: IstioPlan, results: readonly StepResult[], now: Date): Report =>
  keptReport(world, reportOf(world, plan, results, now))

const reportOf = (world: World, { phase }: IstioPlan, results: readonly StepResult[], now: Date): Report => {
  const isOwn = ({ step }: StepResult): boolean => 'target' in step && step.target === world.istio
  const own = results.filter(isOwn).flatMap(({ error }) => error ?? [])
  // Another write was faster. The next call reads the new state.
  if (own.some(({ isConflict }) => isConflict)) return { status: {} }
  if (phase.is === 'parts' && results.some(({ error }) => error?.isConflict))
    return overtaken(world, phase.run, results, now)
  const reported = reportOfPhase(world, phase, {
    results,
    now,
    unsaved: own.map(({ message }) => failure(descriptions.unsaved(message), { reason: 'ReconcileFailed' })),
  })
  // The runtime decides when to retry, for example while a webhook for Istios is unavailable.
  const { next: _, ...withoutNext } = reported
  return own.some(({ isRetriable }) => isRetriable) ? withoutNext : reported
}

const reportOfPhase = (world: World, phase: IstioPlan['phase'], after: After): Report => {
  const { now, unsaved } = after
  if (phase.is === 'parts') return ofParts(world, phase.run, after)
  const findings = phase.is === 'refused' ? [phase.finding] : unsaved
  return findings.length > 0 ? judged(world, { findings, conditions: [] }, now) : { status: {} }
}

/**
 * Another program wrote the object at the same time. If Espalier tried to create the object, the status saves the object's inventory entry,
 * so that the next call reads the object.
 */
const overtaken = (world: World, run: PartsRun, results: readonly StepResult[], now: Date): Report => {
  const exists = ({ step, error }: StepResult): boolean =>
    step.do === 'create' && step.on !== undefined && error?.isConflict === true
  return { status: results.some(exists) ? ownFields(world, partReports(run.parts, { world, results, now })) : {} }
}

type After = { readonly results: readonly StepResult[]; readonly now: Date; readonly unsaved: readonly IstioFinding[] }

const ofParts = (world: World, run: PartsRun, { results, now, unsaved }: After): Report => {
  const reports = partReports(run.parts, { world, results, now })
  const findings = [...unsaved, ...reports.flatMap(one => one.findings ?? [])]
  const conditions = reports.flatMap(one => one.conditions ?? [])
  const noted = {
    events: reports.flatMap(one => one.events ?? []),
    measured: reports.flatMap(one => one.measured ?? []),
  }
  const status = ownFields(world, reports)
  const isOnTheWay = reports.some(({ again }) => again) || (!isThrough(run) && findings.length === 0)
  if (isOnTheWay && unsaved.length === 0)
    return {
      ...noted,
      status: { ...(!world.istio.status?.state && { state: 'Processing' }), ...status },
      next: { is: 'again' },
    }
  const verdict = judged(world, { findings, conditions }, now)
  return { ...noted, ...verdict, status: { ...status, ...verdict.status } }
}

const ownFields = ({ istio }: World, reports: readonly IstioPartReport[]): StatusChange => {
  const noted = reports.flatMap(one => one.restarts ?? [])
  const byTarget = new Map([...(istio.status?.restarts ?? []), ...noted].map(note => [note.target, note]))
  const restarts: IstioStatus['restarts'] = [...byTarget.values()].toSorted((a, b) => (a.target < b.target ? -1 : 1))
  return Object.assign({}, ...reports.map(one => one.status ?? {}), noted.length > 0 ? { restarts } : {})
}

type Found = { readonly findings: readonly IstioFinding[]; readonly conditions: readonly ConditionNote[] }

const judged = (
  { istio, settings }: World,
  { findings, conditions }: Found,
  now: Date,
): Required<Pick<Report, 'status' | 'next'>> => {
  const worst = worstOf(findings)
  const reason = readyReason(findings)
  const ready: ConditionNote = { reason, ...(worst?.reason === reason && { detail: worst.detail }) }
  return {
    status: {
      state: worst?.state ?? 'Ready',
      description: worst?.description ?? null,
      conditions: istioConditions(istio.status?.conditions ?? [], [ready, ...conditions], now),
      observedGeneration: istio.metadata.generation,
    },
    next: nextAfter(findings, settings.reconcileSeconds),
  }
}
