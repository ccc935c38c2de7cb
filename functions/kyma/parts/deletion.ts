// The end of a Kyma, step by step: everything that was made for it goes before its finalizer does.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting } from '../../../shared/core/object.ts'
import type { EventNote, Step, StepResult } from '../../../shared/core/plan.ts'
import { isOn } from '../../../shared/kyma/labels.ts'
import { isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type DeletionStepName, deletionStep, foreignFinalizers, manifestsLeft } from '../reasons.ts'
import type { World } from '../world.ts'
import { modules } from './modules.ts'

const { finalizers, labels } = kymaNames

type Row = {
  readonly name: DeletionStepName
  readonly steps?: (world: World, now: Date) => readonly Step[]
  /** What must be over before the steps below; undefined: nothing. */
  readonly waitsFor?: (world: World) => string | undefined
}

/** From top to bottom, as many in one pass as are possible. The steps of a row come before those of the rows below it. */
const rows: readonly Row[] = [
  { name: 'DeleteManifests', steps: (world, now) => [...modules.steps(world, now), ...mandatoryOnes(world)] },
  { name: 'DeleteMetrics' },
  { name: 'EnsureManifestDeletion', waitsFor: manifestsWaitedFor },
]

export type DeletionPlan = {
  readonly rows: readonly { readonly name: DeletionStepName; readonly steps: readonly Step[] }[]
  readonly waitsFor?: string
}

/** What of the deletion can be done now, and what it waits for. */
export const deletionPlan = (world: World, now: Date): DeletionPlan => {
  if (world.kyma.status?.state !== 'Deleting') return { rows: [] }
  const waiting = rows.findIndex(({ waitsFor }) => waitsFor?.(world) !== undefined)
  const possible = (waiting < 0 ? rows : rows.slice(0, waiting)).map(({ name, steps }, order) => ({
    name,
    steps: (steps?.(world, now) ?? []).map(step => ({ ...step, order })),
  }))
  if (waiting >= 0) return { rows: possible, waitsFor: rows[waiting]?.waitsFor?.(world) }
  const isOver = possible.every(({ steps }) => steps.length === 0)
  return isOver ? lastSteps(world) : { rows: possible }
}

/** Those that have nothing to write are told beside the last one. */
const lastSteps = ({ kyma }: World): DeletionPlan => {
  const steps: Step[] = [{ do: 'removeFinalizer', target: kyma, finalizer: finalizers.kyma }]
  const names = [...rows.filter(row => row.steps === undefined).map(({ name }) => name), 'DropKymaFinalizer'] as const
  if (hasFinalizer(kyma, finalizers.kyma)) return { rows: names.map(name => ({ name, steps })) }
  const others = (kyma.metadata.finalizers ?? []).filter(name => name !== finalizers.purge)
  return { rows: [], ...(others.length > 0 && { waitsFor: foreignFinalizers(others) }) }
}

/** An Event for each step that was taken, or that failed. */
export const deletionEvents = (plan: DeletionPlan, results: readonly StepResult[]): EventNote[] =>
  plan.rows.flatMap(({ name, steps }) => {
    const own = results.filter(({ step }) => steps.includes(step))
    const error = own.find(result => result.error && !result.error.isConflict)?.error
    if (error) return [deletionStep(name, error.message)]
    return own.some(({ changed }) => changed) ? [deletionStep(name)] : []
  })

const mandatoryOnes = ({ kyma, manifests }: World): Step[] =>
  manifests
    .filter(one => isOn(one, labels.mandatoryModule) && isManifestOf(kyma, one) && !isDeleting(one))
    .map(target => ({ do: 'delete', target }))

function manifestsWaitedFor({ kyma, manifests }: World): string | undefined {
  const left = manifests.filter(manifest => isManifestOf(kyma, manifest))
  return left.length === 0 ? undefined : manifestsLeft(left)
}
