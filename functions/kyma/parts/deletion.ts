// The deletion of a Kyma, step by step: first all objects that were created for the Kyma, last its finalizer.
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
import { type Kyma, waitingForFinalizers } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type DeletionStepName, deletionStep, manifestsLeft } from '../reasons.ts'
import { isControlPlane, type RuntimeSource, type RuntimeThere } from '../rules/runtime.ts'
import type { World } from '../world.ts'
import { modules } from './modules.ts'
import { inRuntime } from './part.ts'
import { copyStatusSteps } from './runtime-objects.ts'

const { finalizers } = kymaNames

type Row = {
  readonly name: DeletionStepName
  readonly steps?: (world: World, now: Date) => readonly Step[]
  /** The step is done together with the next row that has steps. No row waits for this step. */
  readonly isCourtesy?: true
  /** Why the rows below must wait. undefined: they need not wait. */
  readonly waitsFor?: (world: World) => string | undefined
}

const deletions = (objects: readonly KubeObject[]): Step[] =>
  objects.filter(object => !isDeleting(object)).map(target => ({ do: 'delete', target }))

/** A row for objects in the runtime. It has no steps without an access Secret, or if modules run in the control plane's cluster. */
const inTheRuntime = (name: DeletionStepName, steps: (runtime: RuntimeThere, world: World) => Step[]): Row => ({
  name,
  steps: world => (world.runtime.is === 'there' ? inRuntime(world, steps(world.runtime, world)) : []),
  waitsFor: ({ runtime }) => (runtime.is === 'away' || runtime.is === 'refused' ? runtime.fault : undefined),
})

/** Other Kymas use the same runtime and need its shared objects, such as definitions. */
const isShared = ({ leftovers }: RuntimeThere): boolean => (leftovers?.otherCopies ?? []).length > 0

/** If other Kymas share the runtime, only the agent's objects in this Kyma's namespace are removed. */
const agentToGo = (runtime: RuntimeThere, kyma: Kyma): readonly KubeObject[] => {
  const { agent = [] } = runtime.leftovers ?? {}
  return isShared(runtime) ? agent.filter(({ metadata }) => metadata.namespace === syncNamespace(kyma)) : agent
}

/** Deletes the definition. If it must stay, deletes only our objects in the catalogue. */
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

/** The runtime's owner may block this write permanently, for example with a definition that has no status. */
const tellingTheRuntime: Row = {
  ...inTheRuntime('SetSkrKymaStateDeleting', ({ copy }, world) => {
    const steps = copy?.status?.state === 'Deleting' ? [] : copyStatusSteps(world, world.kyma.status, [])
    return steps.map(step => ({ ...step, isConflictPassing: true }))
  }),
  isCourtesy: true,
}

/** Rows in order. The first row that has steps is executed. The next pass starts with the first row again. */
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

/** A second write to the same object would have an old resourceVersion and fail. */
const haveTarget = (one: DueRow, other: DueRow): boolean =>
  one.steps.some(step => other.steps.some(also => subjectOf(step) === subjectOf(also)))

/** Rows without steps are reported together with the last row. */
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

/** Deletes Manifests of modules that the Kyma lists, and all others created for the Kyma, for example for mandatory modules. */
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
