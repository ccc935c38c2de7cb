// The k8s settings of a component as patches of the objects that its chart makes, as a table.
import { own } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../../shared/core/json/json.ts'

/** The workload that a component's settings change, and with it objects of other kinds that have the workload's name. */
export type PatchTarget = { readonly kind: string; readonly name: string; readonly container: string }

export type ObjectPatch = {
  readonly kind: string
  readonly name: string
  /** The patch is laid over this container of the workload's Pods, not over the object. */
  readonly container?: string
  readonly patch: JsonMap
}

type Row = { readonly field: string; readonly patch: (value: unknown, target: PatchTarget) => ObjectPatch }

/** In the order of the table; fields that it does not know change nothing. */
export const patchesFor = (k8s: JsonMap, target: PatchTarget): readonly ObjectPatch[] =>
  rows.flatMap(({ field, patch }) => {
    const value = own(k8s, field)
    return value === undefined || value === null ? [] : [patch(value, target)]
  })

const inWorkload = (spec: (value: unknown) => JsonMap): Row['patch'] => {
  return (value, { kind, name }) => ({ kind, name, patch: { spec: spec(value) } })
}
const inPods = (template: (value: unknown) => JsonMap) => inWorkload(value => ({ template: template(value) }))

const inContainer = (field: string): Row => ({
  field,
  patch: (value, target) => ({ ...target, patch: { [field]: value } }),
})

const inSpecOf = (kind: string, field: string, spec: (value: unknown) => unknown = value => value): Row => ({
  field,
  patch: (value, { name }) => ({ kind, name, patch: { spec: spec(value) } }),
})

/** A PodDisruptionBudget has either maxUnavailable or minAvailable, never both. */
const budget = (value: unknown): unknown =>
  isMap(value) && value.maxUnavailable !== undefined ? { ...value, minAvailable: null } : value

const rows: readonly Row[] = [
  { field: 'affinity', patch: inPods(affinity => ({ spec: { affinity } })) },
  { field: 'securityContext', patch: inPods(securityContext => ({ spec: { securityContext } })) },
  inContainer('env'),
  inContainer('resources'),
  { field: 'podAnnotations', patch: inPods(annotations => ({ metadata: { annotations } })) },
  { field: 'strategy', patch: inWorkload(strategy => ({ strategy })) },
  inSpecOf('HorizontalPodAutoscaler', 'hpaSpec'),
  inSpecOf('PodDisruptionBudget', 'podDisruptionBudget', budget),
  {
    field: 'serviceAnnotations',
    patch: (annotations, { name }) => ({ kind: 'Service', name, patch: { metadata: { annotations } } }),
  },
]
