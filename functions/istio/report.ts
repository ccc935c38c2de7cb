// The status of an Istio after the steps were tried, the Events, and when it is called again.
import type { IstioStatus } from '../../shared/api/istio.ts'
import type { StatusChange, StepResult } from '../../shared/core/plan.ts'
import type { Report } from '../../shared/runtime/definition.ts'
import type { IstioPlan } from './decide.ts'
import { type PartsRun, tellingsOf } from './parts/all-parts.ts'
import type { IstioTelling } from './parts/part.ts'
import { type ConditionNote, istioConditions } from './rules/conditions.ts'
import { type IstioFinding, nextAfter, readyReason, worstOf } from './rules/findings.ts'
import type { World } from './world.ts'

export const report = (world: World, { phase }: IstioPlan, results: readonly StepResult[], now: Date): Report => {
  // Somebody was faster, or the Istio itself could not be written: the loop answers, and the next call sees what there is to tell.
  if (results.some(({ step, error }) => error && (error.isConflict || isAbout(world, step)))) return { status: {} }
  if (phase.is === 'released') return { status: {} }
  if (phase.is === 'refused') return standing(world, { findings: [phase.finding], conditions: [] }, now)
  return ofParts(world, phase.run, { results, now })
}

const isAbout = ({ istio }: World, step: StepResult['step']): boolean => 'target' in step && step.target === istio

type After = { readonly results: readonly StepResult[]; readonly now: Date }

const ofParts = (world: World, run: PartsRun, { results, now }: After): Report => {
  const tellings = tellingsOf(run, { world, results, now })
  const findings = tellings.flatMap(one => one.findings ?? [])
  const conditions = tellings.flatMap(one => one.conditions ?? [])
  const told = {
    events: tellings.flatMap(one => one.events ?? []),
    measured: tellings.flatMap(one => one.measured ?? []),
  }
  const status = ownFields(world, tellings)
  const isOnTheWay = tellings.some(({ again }) => again) || (!run.isThrough && findings.length === 0)
  if (isOnTheWay) return { ...told, status: { ...begun(world), ...status }, next: { is: 'again' } }
  const stands = standing(world, { findings, conditions }, now)
  return { ...told, ...stands, status: { ...status, ...stands.status } }
}

/** A status needs a state. */
const begun = ({ istio: { status } }: World): StatusChange => (status?.state ? {} : { state: 'Processing' })

const ownFields = ({ istio }: World, tellings: readonly IstioTelling[]): StatusChange => {
  const noted = tellings.flatMap(one => one.restarts ?? [])
  const kept = (istio.status?.restarts ?? []).filter(one => !noted.some(({ target }) => target === one.target))
  const restarts: IstioStatus['restarts'] = [...kept, ...noted].toSorted((a, b) => (a.target < b.target ? -1 : 1))
  return Object.assign({}, ...tellings.map(one => one.status ?? {}), noted.length > 0 ? { restarts } : {})
}

type Found = { readonly findings: readonly IstioFinding[]; readonly conditions: readonly ConditionNote[] }

const standing = (
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
