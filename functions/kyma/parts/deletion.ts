// The end of a Kyma, step by step: everything that was made for it goes before its finalizer does.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { EventNote, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { stepFaults, subjectOf } from '../../../shared/core/decisions/steps.ts'
import {
  type GroupVersionKind,
  hasFinalizer,
  isDeleting,
  type KubeObject,
} from '../../../shared/core/objects/object.ts'
import { waitingForFinalizers } from '../../../shared/kyma/finalizers.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type DeletionStepName, deletionStep, manifestsLeft } from '../reasons.ts'
import { isControlPlane, type RuntimeSource, type RuntimeThere } from '../rules/runtime.ts'
import type { World } from '../world.ts'
import { copyStatusSteps } from './kyma-copy.ts'
import { modules } from './modules.ts'
import { inRuntime } from './runtime-steps.ts'

const { finalizers } = kymaNames

type Row = {
  readonly name: DeletionStepName
  readonly steps?: (world: World, now: Date) => readonly Step[]
  /** Done beside the steps of the first row below that has some: nothing waits for it. */
  readonly isCourtesy?: true
  /** What must be over before the steps below; undefined: nothing. */
  readonly waitsFor?: (world: World) => string | undefined
}

const deletions = (objects: readonly KubeObject[]): Step[] =>
  objects.filter(object => !isDeleting(object)).map(target => ({ do: 'delete', target }))

/** A row about the runtime. Without an access Secret, and where modules are installed here, it is left out. */
const inTheRuntime = (name: DeletionStepName, steps: (runtime: RuntimeThere, world: World) => Step[]): Row => ({
  name,
  steps: world => (world.runtime.is === 'there' ? inRuntime(world, steps(world.runtime, world)) : []),
  waitsFor: ({ runtime }) => (runtime.is === 'away' || runtime.is === 'refused' ? runtime.fault : undefined),
})

/** Other Kymas of the same runtime need what was brought there. */
const isShared = ({ leftovers }: RuntimeThere): boolean => (leftovers?.otherCopies ?? []).length > 0

/** An agent that speaks for this Kyma is of no use to another one, which has its own in its own namespace. */
const agentToGo = (runtime: RuntimeThere, kyma: Kyma): readonly KubeObject[] => {
  const { agent = [] } = runtime.leftovers ?? {}
  return isShared(runtime) ? agent.filter(({ metadata }) => metadata.namespace === syncNamespace(kyma)) : agent
}

/** The definition, or, where it has to stay, what we put into the catalogue. */
const withCrd = (name: DeletionStepName, { kind }: GroupVersionKind, crd: string): Row =>
  inTheRuntime(name, (runtime, { source }) =>
    deletions(
      keepsCrds(runtime, source) ? runtime.catalogue.filter(object => object.kind === kind) : crdsNamed(crd, runtime),
    ),
  )

const keepsCrds = (runtime: RuntimeThere, source: RuntimeSource): boolean =>
  isControlPlane(runtime, source) || isShared(runtime)

const crdsNamed = (name: string, { crds }: RuntimeThere): readonly KubeObject[] =>
  crds.filter(({ metadata }) => metadata.name === name)

/** Whoever owns the runtime may keep us from it for ever, for instance by a definition without a status. */
const tellingTheRuntime: Row = {
  ...inTheRuntime('SetSkrKymaStateDeleting', ({ copy }, world) => {
    const steps = copy?.status?.state === 'Deleting' ? [] : copyStatusSteps(world, world.kyma.status, [])
    return steps.map(step => ({ ...step, isConflictPassing: true }))
  }),
  isCourtesy: true,
}

/** From top to bottom: the first that has something to write does so, and the next pass looks again. */
const rows: readonly Row[] = [
  tellingTheRuntime,
  { name: 'DeleteManifests', steps: manifestSteps },
  { name: 'DeleteCertificateSetup', steps: ({ certificates }) => deletions(certificates) },
  inTheRuntime('DeleteSkrWebhookResources', (runtime, { kyma }) => deletions(agentToGo(runtime, kyma))),
  withCrd('DeleteSkrModuleTemplateCrd', moduleTemplateKind, runtimeCrdNames.templates),
  withCrd('DeleteSkrModuleReleaseMetaCrd', moduleReleaseMetaKind, runtimeCrdNames.releases),
  inTheRuntime('DeleteSkrKyma', ({ copy }) => deletions(copy ? [copy] : [])),
  inTheRuntime('DeleteSkrKymaCrd', (runtime, { source }) =>
    keepsCrds(runtime, source) ? [] : deletions(crdsNamed(runtimeCrdNames.kymas, runtime)),
  ),
  { name: 'DeleteMetrics' },
  { name: 'EnsureManifestDeletion', waitsFor: manifestsWaitedFor },
]

type DueRow = { readonly name: DeletionStepName; readonly steps: readonly Step[] }

export type DeletionPlan = {
  readonly rows: readonly DueRow[]
  readonly waitsFor?: string
}

/** The possible steps of the deletion, and what the deletion waits for. */
export const deletionPlan = (world: World, now: Date): DeletionPlan => {
  if (world.kyma.status?.state !== 'Deleting') return { rows: [] }
  const beside: DueRow[] = []
  for (const { name, steps, isCourtesy, waitsFor } of rows) {
    const reason = waitsFor?.(world)
    if (reason !== undefined) return { rows: [], waitsFor: reason }
    const due = { name, steps: steps?.(world, now) ?? [] }
    if (due.steps.length === 0) continue
    if (!isCourtesy) return { rows: [...beside.filter(one => !haveTarget(one, due)), due] }
    beside.push(due)
  }
  return lastSteps(world)
}

/** Of two writes to one object the second would be bound to a state that is over. */
const haveTarget = (one: DueRow, other: DueRow): boolean =>
  one.steps.some(step => other.steps.some(also => subjectOf(step) === subjectOf(also)))

/** Those that have nothing to write are reported beside the last one. */
const lastSteps = ({ kyma }: World): DeletionPlan => {
  const steps: Step[] = [{ do: 'removeFinalizer', target: kyma, finalizer: finalizers.kyma }]
  const names = [...rows.filter(row => row.steps === undefined).map(({ name }) => name), 'DropKymaFinalizer'] as const
  if (hasFinalizer(kyma, finalizers.kyma)) return { rows: names.map(name => ({ name, steps })) }
  const others = (kyma.metadata.finalizers ?? []).filter(name => name !== finalizers.purge)
  return { rows: [], ...(others.length > 0 && { waitsFor: waitingForFinalizers(others) }) }
}

export const deletionEvents = (plan: DeletionPlan, results: readonly StepResult[]): EventNote[] =>
  plan.rows.flatMap(({ name, steps }) => {
    const own = results.filter(({ step }) => steps.includes(step))
    const [error] = stepFaults(own)
    if (error) return [deletionStep(name, error.message)]
    return own.some(({ changed }) => changed) ? [deletionStep(name)] : []
  })

/** Those of modules that the Kyma lists, of mandatory ones, and whatever else was made for it. */
function manifestSteps(world: World, now: Date): readonly Step[] {
  const { kyma, manifests } = world
  const steps = modules.steps(world, now)
  const dealtWith = steps.map(step => ('target' in step ? step.target : undefined))
  return [...steps, ...deletions(manifests.filter(one => isManifestOf(kyma, one) && !dealtWith.includes(one)))]
}

function manifestsWaitedFor({ kyma, manifests }: World): string | undefined {
  const left = manifests.filter(manifest => isManifestOf(kyma, manifest))
  return left.length === 0 ? undefined : manifestsLeft(left)
}
