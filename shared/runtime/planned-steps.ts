// The steps of a plan that is only asked for (planned.ts): each is tried as a dry run at the API server, and shown with the fields that
// change, or with what the API server refused. Steps on the planned object itself are applied in memory.
import type { HookPoint, Step, StepResult } from '../core/decisions/plan.ts'
import { subjectOf } from '../core/decisions/steps.ts'
import { type FieldChange, fieldChanges } from '../core/json/field-changes.ts'
import { sameJson } from '../core/json/json.ts'
import { mergePatched } from '../core/json/merge-patch.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../core/objects/object.ts'
import type { ReadClient } from '../kube/client-types.ts'
import { writable } from '../kube/clusters/read-only.ts'
import { isNotServed } from '../kube/errors.ts'
import { dryRun } from '../kube/writes/dry-run.ts'
import { performSteps } from '../kube/writes/perform-steps.ts'
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
  /** `Deployment shop/shop` */
  readonly object: string
  /** Absent: the cluster of the object that is planned. */
  readonly on?: string
  /** Absent: they are not shown, since the object holds a Secret. */
  readonly fields?: readonly FieldChange[]
  readonly hook?: HookPoint
  /** What the API server answered to the dry run. */
  readonly refusal?: string
}

type Trying = { readonly object: KubeObject; readonly about: Planning; readonly scope: PassScope }
type TriedStep = { readonly result: StepResult; readonly shown?: PlannedStep }

/** The API server refuses the dry run of an object whose Namespace another step makes, so that object is shown untried. */
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

/** Of the Namespace that a step makes, or of the one that its object is in. */
const placeOf = (step: Step, field: 'name' | 'namespace'): string =>
  `${step.on ?? 'local'} ${subjectOf(step).metadata[field]}`

const untried = (step: Step): TriedStep => shownTry({ step, changed: true, object: subjectOf(step) }, undefined)

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
  return shownTry({ ...result, changed: result.changed || differs }, before)
}

/** Keys and certificates are random, so a plan makes none. */
const placeholders = { 'tls.crt': '', 'tls.key': '', 'ca.crt': '', 'ca.key': '' }

const unreadable = (step: Step, { message }: Error): TriedStep =>
  shownTry(
    { step, changed: false, error: { message, isConflict: false, isRetriable: true, ref: refOf(subjectOf(step)) } },
    undefined,
  )

/** A kind that is not served has no objects. */
const readOrFault = (reader: ReadClient, object: KubeObject): Promise<KubeObject | Error | undefined> =>
  reader.get(refOf(object)).catch((error: Error) => (isNotServed(error) ? undefined : error))

const isItself = (step: Step, object: KubeObject): boolean =>
  step.do !== 'hook' && step.on === undefined && subjectOf(step).metadata.uid === object.metadata.uid

/** The object after the steps on itself; undefined: the last finalizer of an object in deletion is gone. */
export const changedItself = (object: KubeObject, steps: readonly Step[]): KubeObject | undefined => {
  const after = steps.filter(step => isItself(step, object)).reduce(changedBy, object)
  return isDeleting(after) && (after.metadata.finalizers ?? []).length === 0 ? undefined : after
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

const shownTry = (result: StepResult, before: KubeObject | undefined): TriedStep => {
  const shown = shownStep(result, before)
  return shown ? { result, shown } : { result }
}

const shownStep = (result: StepResult, before: KubeObject | undefined): PlannedStep | undefined => {
  const { step, changed, error } = result
  const about = shownSubject(step)
  if (error) return { ...about, does: 'fail', refusal: error.message }
  if (step.do === 'delete') return before && { ...about, does: 'delete' }
  if (!changed) return undefined
  const does = before ? 'change' : 'create'
  if (subjectOf(step).kind === 'Secret' || step.isConfidential) return { ...about, does }
  const fields = fieldChanges(shownPart(before), shownPart(result.object))
  return before && fields.length === 0 ? undefined : { ...about, does, fields }
}

/** Without what the API server keeps for itself. */
const shownPart = (object: KubeObject | undefined): object | undefined => {
  if (!object) return undefined
  const { uid, resourceVersion, generation, creationTimestamp, managedFields, ...metadata } = object.metadata
  const { status, ...rest } = object
  return { ...rest, metadata }
}
