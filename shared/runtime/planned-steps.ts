// Tries the steps of a shown plan (planned.ts) as dry runs. Shows each step with the changed fields, or with the refusal. Steps on the
// planned object itself are applied in memory.
import type { HookPoint, Step, StepResult } from '../core/decisions/plan.ts'
import { subjectOf } from '../core/decisions/steps.ts'
import { type FieldChange, fieldChanges } from '../core/json/field-changes.ts'
import { mapsIn, sameJson, shownText } from '../core/json/json.ts'
import { mergePatched } from '../core/json/merge-patch.ts'
import { isLetGo, type KubeObject, refOf, refText } from '../core/objects/object.ts'
import type { ReadClient } from '../kube/client-types.ts'
import { dryRun, writable } from '../kube/clusters/read-only.ts'
import { isNotServed } from '../kube/errors.ts'
import { performSteps } from '../kube/writes/perform-steps.ts'
import { reclaimedFields } from '../kube/writes/stored-fields.ts'
import type { BegunCall } from './context.ts'
import type { PassScope, ReconcileFunction } from './definition.ts'
import { managerOf } from './pass.ts'

export type Planning = {
  readonly definition: ReconcileFunction
  readonly call: BegunCall
  readonly shared: unknown
}

export type PlannedStep = {
  readonly apiVersion: string
  readonly does: 'create' | 'change' | 'delete' | 'run' | 'fail'
  /** For example `Deployment shop/shop`. */
  readonly object: string
  /** Absent for the cluster of the planned object. */
  readonly on?: string
  /** Absent when the object is a Secret. */
  readonly fields?: readonly FieldChange[]
  /** Owners of fields before and after; absent when they do not change. */
  readonly managers?: FieldManagers
  readonly hook?: HookPoint
  /** The API server's refusal of the dry run. */
  readonly refusal?: string
}

/** Field managers without subresources. */
type FieldManagers = { readonly before: readonly string[]; readonly after: readonly string[] }

type Trying = { readonly object: KubeObject; readonly about: Planning; readonly scope: PassScope }
type TriedStep = { readonly result: StepResult; readonly shown?: PlannedStep }

/** If another step creates the Namespace of an object, the object is shown without a dry run, because the API server would refuse it. */
export const triedSteps = async (steps: readonly Step[], trying: Trying): Promise<TriedStep[]> => {
  const [first, others] = [steps.filter(isOfNamespace), steps.filter(step => !isOfNamespace(step))]
  const namespaces = await Promise.all(first.map(step => triedStep(step, trying)))
  const coming = new Set(
    namespaces.flatMap(({ result, shown }) => (shown?.does === 'create' ? placeOf(result.step, 'name') : [])),
  )
  const isComing = (step: Step): boolean => coming.has(placeOf(step, 'namespace'))
  const rest = others.map(async step => (isComing(step) ? untried(step) : triedStep(step, trying)))
  return [...namespaces, ...(await Promise.all(rest))]
}

const isOfNamespace = (step: Step): boolean => subjectOf(step).kind === 'Namespace' && step.do !== 'hook'

/** Cluster and name of the Namespace that a step creates, or of the Namespace of its object. */
const placeOf = (step: Step, field: 'name' | 'namespace'): string =>
  `${step.on ?? 'local'} ${subjectOf(step).metadata[field]}`

const untried = (step: Step): TriedStep => shownTry({ step, changed: true, object: subjectOf(step) })

const triedStep = async (step: Step, trying: Trying): Promise<TriedStep> => {
  const { object, about } = trying
  const subject = subjectOf(step)
  if (isItself(step, object)) return { result: { step, changed: true, object: changedItself(object, [step]) } }
  if (step.do === 'hook' || step.do === 'takeSnapshot') {
    const hook = step.do === 'hook' ? { hook: step.point } : {}
    return { result: { step, changed: false, object: subject }, shown: { ...shownSubject(step), does: 'run', ...hook } }
  }
  const clients = trying.scope.clusters ?? about.call.clusters
  const reader = await clients.of(step.on ?? 'local')
  const before = await readOrFault(reader, subject)
  if (before instanceof Error) return unreadable(step, before)
  const [result] = await performSteps([step], {
    clusters: { of: async () => dryRun(writable(reader)) },
    fieldManager: managerOf(about.definition),
    mayContinue: () => true,
    issue: async () => placeholders,
    makeData: async () => placeholders,
  })
  if (!result) throw new Error('a step of a plan had no result')
  const differs = !sameJson(shownPart(before), shownPart(result.object))
  const managers = managersOf(result, { before, fieldManager: step.fieldManager ?? managerOf(about.definition) })
  return shownTry({ ...result, changed: result.changed || differs || managers !== undefined }, { before, managers })
}

/** Placeholders, because plans generate no keys and certificates. */
const placeholders = { 'tls.crt': '', 'tls.key': '', 'ca.crt': '', 'ca.key': '' }

const unreadable = (step: Step, { message }: Error): TriedStep =>
  shownTry({
    step,
    changed: false,
    error: { message, isConflict: false, isRetriable: true, ref: refOf(subjectOf(step)) },
  })

/** undefined when the object does not exist or its kind is not served. */
const readOrFault = (reader: ReadClient, object: KubeObject): Promise<KubeObject | Error | undefined> =>
  reader
    .get(refOf(object), { withManagedFields: true })
    .catch((error: Error) => (isNotServed(error) ? undefined : error))

const isItself = (step: Step, object: KubeObject): boolean =>
  step.do !== 'hook' && step.on === undefined && subjectOf(step).metadata.uid === object.metadata.uid

/** The object after the steps on the object itself; undefined when they remove the last finalizer of a deleted object. */
export const changedItself = (object: KubeObject, steps: readonly Step[]): KubeObject | undefined => {
  const after = steps.filter(step => isItself(step, object)).reduce(changedBy, object)
  return isLetGo(after) ? undefined : after
}

const changedBy = (object: KubeObject, step: Step): KubeObject => {
  const { metadata } = object
  const others = (metadata.finalizers ?? []).filter(name => !('finalizer' in step) || name !== step.finalizer)
  if (step.do === 'addFinalizer')
    return { ...object, metadata: { ...metadata, finalizers: [...others, step.finalizer] } }
  if (step.do === 'removeFinalizer') return { ...object, metadata: { ...metadata, finalizers: others } }
  if (step.do === 'patch') return mergePatched(object, step.merge) as KubeObject
  return object
}

const shownSubject = (step: Step): Pick<PlannedStep, 'apiVersion' | 'object' | 'on'> => ({
  apiVersion: subjectOf(step).apiVersion,
  object: refText(refOf(subjectOf(step))),
  ...(step.on !== undefined && step.on !== 'local' && { on: step.on }),
})

/** The object before the step; undefined when it does not exist. */
type Past = { readonly before?: KubeObject | undefined; readonly managers?: FieldManagers | undefined }

const shownTry = (result: StepResult, past: Past = {}): TriedStep => {
  const shown = shownStep(result, past)
  return shown ? { result, shown } : { result }
}

const shownStep = (result: StepResult, { before, managers }: Past): PlannedStep | undefined => {
  const { step, changed, error } = result
  const about = shownSubject(step)
  if (error) return { ...about, does: 'fail', refusal: error.message }
  if (step.do === 'delete') return before && { ...about, does: 'delete' }
  if (!changed) return undefined
  const does = before ? 'change' : 'create'
  const owners = managers && { managers }
  if (subjectOf(step).kind === 'Secret' || step.isConfidential) return { ...about, does, ...owners }
  const fields = fieldChanges(shownPart(before), shownPart(result.object))
  return before && fields.length === 0 && !managers ? undefined : { ...about, does, fields, ...owners }
}

/** Computes the owners after taking over fields. Taking over is a separate write, and a dry run does not keep the result. */
const managersOf = (
  { step, object }: StepResult,
  { before, fieldManager }: { readonly before: KubeObject | undefined; readonly fieldManager: string },
): FieldManagers | undefined => {
  if (!before || !object?.metadata.managedFields) return undefined
  const prefixes = step.do === 'apply' ? step.reclaimFrom : undefined
  const taken = prefixes && reclaimedFields(object, { fieldManager, prefixes, apiVersion: object.apiVersion })
  const managers = {
    before: managerNames(before.metadata.managedFields),
    after: managerNames(taken ?? object.metadata.managedFields),
  }
  return sameJson(managers.before, managers.after) ? undefined : managers
}

const managerNames = (managedFields: unknown): string[] => {
  const entries = mapsIn(managedFields).filter(({ subresource }) => !subresource)
  return [...new Set(entries.map(({ manager }) => shownText(manager)))].sort()
}

/** The object without fields that the API server sets. */
export const shownPart = (object: KubeObject | undefined): object | undefined => {
  if (!object) return undefined
  const { uid, resourceVersion, generation, creationTimestamp, managedFields, ...metadata } = object.metadata
  const { status, ...rest } = object
  return { ...rest, metadata }
}
