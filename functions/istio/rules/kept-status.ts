// Where an Istio keeps what istio notes of its work. Our definition of the kind has fields for it in the status. The definition of the Kyma
// Istio module has not: its API server drops them, and an annotation keeps them instead.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { StatusChange, Step } from '../../../shared/core/decisions/plan.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { canonicalJson, isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Istio, World } from '../world.ts'

/** Each field, and what of a value in the annotation is used: no schema guards it. */
const fields = {
  observedGeneration: value => (typeof value === 'number' ? value : undefined),
  installation: value => (isMap(value) ? value : undefined),
  inventory: value => mapsIn(value),
  restarts: value => mapsIn(value).filter(({ target, digest, since }) => [target, digest, since].every(isText)),
} as const satisfies { readonly [Field in keyof IstioStatus]?: (value: unknown) => unknown }

/** By the definition of the kind Istio. */
export const keptInBy = (definition: KubeObject | undefined): World['keptIn'] => {
  const [status] = mapsIn(mapOrEmpty(definition?.spec).versions).map(version =>
    valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'properties'),
  )
  return status !== undefined && mapOrEmpty(status).installation === undefined ? 'annotation' : 'status'
}

/** The Istio with the fields that its annotation keeps. What somebody wrote there that is no JSON counts as nothing. */
export const withKeptStatus = (istio: Istio): Istio => {
  const text = istio.metadata.annotations?.[istioNames.annotations.status]
  const kept = attempted<unknown>(() => JSON.parse(text ?? '{}'))
  const values = mapOrEmpty('read' in kept ? kept.read : undefined)
  const used = Object.entries(fields).map(([field, usable]) => [field, usable(values[field])] as const)
  return { ...istio, status: { ...mapOrEmpty(istio.status), ...Object.fromEntries(used) } as IstioStatus }
}

type Said = { status: StatusChange }

/** With an annotation, what is kept there is patched after the status is saved. */
export const keptReport = <Of extends Said>(
  { istio, keptIn }: World,
  report: Of,
): Of & { afterwards?: { readonly steps: readonly Step[] } } => {
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
