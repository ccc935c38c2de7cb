// A table that turns the `k8s` settings of a component into patches of its chart's objects.
import { own } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../../shared/core/json/json.ts'

/** The workload of a component. Objects of other kinds to patch have the same name. */
export type PatchTarget = { readonly kind: string; readonly name: string; readonly container: string }

export type ObjectPatch = {
  readonly kind: string
  readonly name: string
  /** The container to patch in the workload's Pods. Absent: the object is patched. */
  readonly container?: string
  readonly patch: JsonMap
}

type Row = { readonly field: string; readonly patch: (value: unknown, target: PatchTarget) => ObjectPatch }

/** Ignores settings that the table lacks. */
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

/** A PodDisruptionBudget must not have both maxUnavailable and minAvailable. */
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
