// The conditions of an Istio, and where its own status fields are stored. Our CustomResourceDefinition has these fields in the status. With
// the Kyma Istio module's definition, the API server drops the fields, so an annotation stores them.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { StatusChange, Step } from '../../../shared/core/decisions/plan.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { canonicalJson, isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { type Condition, conditionLimits, withCondition } from '../../../shared/core/objects/condition.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { shortened } from '../../../shared/core/text/text.ts'
import { type IstioReason, istioReasons } from '../reasons.ts'
import type { Istio, World } from '../world.ts'

/** istio's own status fields, with a check of the annotation's value, because no schema validates it. */
const fields = {
  observedGeneration: value => (typeof value === 'number' ? value : undefined),
  installation: value => (isMap(value) ? value : undefined),
  inventory: value => mapsIn(value),
  restarts: value => mapsIn(value).filter(({ target, digest, since }) => [target, digest, since].every(isText)),
} as const satisfies { readonly [Field in keyof IstioStatus]?: (value: unknown) => unknown }

export const keptInBy = (definition: KubeObject | undefined): World['keptIn'] => {
  const [status] = mapsIn(mapOrEmpty(definition?.spec).versions).map(version =>
    valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'properties'),
  )
  return status !== undefined && mapOrEmpty(status).installation === undefined ? 'annotation' : 'status'
}

/** Adds the annotation's fields to the status. Invalid JSON counts as empty. */
export const withKeptStatus = (istio: Istio): Istio => {
  const text = istio.metadata.annotations?.[istioNames.annotations.status]
  const kept = attempted<unknown>(() => JSON.parse(text ?? '{}'))
  const values = mapOrEmpty('read' in kept ? kept.read : undefined)
  const used = Object.entries(fields).map(([field, usable]) => [field, usable(values[field])] as const)
  return { ...istio, status: { ...mapOrEmpty(istio.status), ...Object.fromEntries(used) } as IstioStatus }
}

/** In annotation mode, the annotation is patched after the status is saved. */
export const keptReport = <Reported extends { status: StatusChange }>(
  { istio, keptIn }: World,
  report: Reported,
): Reported & { afterwards?: { readonly steps: readonly Step[] } } => {
  if (keptIn === 'status') return report
  const kept = mergePatched(ownFields(mapOrEmpty(istio.status)), ownFields(report.status))
  const [text, { status: annotation }] = [canonicalJson(kept), istioNames.annotations]
  const merge = { metadata: { annotations: { [annotation]: text } } }
  const isKept = text === '{}' || text === istio.metadata.annotations?.[annotation]
  const steps = isKept ? [] : [{ do: 'patch', target: istio, merge } as const]
  return { ...report, status: otherFields(report.status), afterwards: { steps } }
}

const ownFields = (status: JsonMap): JsonMap => fieldsWhere(status, field => Object.hasOwn(fields, field))

const otherFields = (status: StatusChange): StatusChange => fieldsWhere(status, field => !Object.hasOwn(fields, field))

const fieldsWhere = (status: JsonMap, is: (field: string) => boolean): JsonMap =>
  Object.fromEntries(Object.entries(status).filter(([field, value]) => is(field) && value !== undefined))

/** The reason determines type and status. */
export type ConditionNote = { readonly reason: IstioReason; readonly detail?: string }

type Known = readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>[]

/**
 * Conditions without a note stay unchanged. A new reason counts as a transition even if the status stays the same, as in the Kyma Istio
 * module. The old status is removed, so that withCondition sees a transition.
 */
export const istioConditions = (before: Known, notes: readonly ConditionNote[], now: Date): readonly Condition[] =>
  notes.reduce<readonly Condition[]>(
    (conditions, { reason, detail }) => {
      const { type, status, message } = istioReasons[reason]
      const known = conditions.map(one => (one.type === type && one.reason !== reason ? { ...one, status: '' } : one))
      return withCondition(known, { type, status, reason, message: withDetail(message, detail) }, now)
    },
    before as readonly Condition[],
  )

const withDetail = (message: string, detail: string | undefined): string =>
  detail === undefined ? message : shortened(conditionLimits.message, `${message}: ${detail}`)
