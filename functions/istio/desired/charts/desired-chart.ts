// The charts that an IstioOperator installs, each with its values and the changes of its objects.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { own, valueAt, withValueAt } from '../../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { valuesMerged } from '../../../../shared/render/values.ts'
import { type ChartRow, chartRows } from './chart-rows.ts'
import { type ObjectPatch, patchesFor } from './object-patches.ts'

export type DesiredChart = {
  readonly directory: string
  readonly release: 'istio'
  readonly component: string
  readonly namespace: string
  readonly order: number
  readonly values: JsonMap
  /** Strategic merge patches, laid over the objects in this order. */
  readonly patches: readonly ObjectPatch[]
  /** Laid over the objects after the patches, in this order. */
  readonly overlays: readonly Overlay[]
}

/** Single values to set in an object. Dots separate the fields of a path, `\.` is a dot in a field's name; null removes a field. */
export type Overlay = {
  readonly kind: string
  readonly name: string
  readonly patches: readonly { readonly path: string; readonly value: unknown }[]
}

/** One for each component that is on, wave by wave. */
export const chartsOf = (operator: IstioOperator): readonly DesiredChart[] =>
  chartRows.flatMap(row => {
    const component = componentOf(operator, row)
    return isOn(component, row) ? [desiredChart(operator, row, component)] : []
  })

/** Of gateways there is at most one. */
const componentOf = ({ spec }: IstioOperator, { component }: ChartRow): JsonMap => {
  const value = own(mapOrEmpty(spec.components), component)
  return mapOrEmpty(Array.isArray(value) ? value[0] : value)
}

const isOn = ({ enabled }: JsonMap, { isUsuallyOn }: ChartRow): boolean => (enabled ?? isUsuallyOn) === true

const desiredChart = (operator: IstioOperator, row: ChartRow, component: JsonMap): DesiredChart => {
  const { directory, order, patched, hasNoSettings } = row
  const target = patched && { ...patched, name: isText(component.name) ? component.name : patched.name }
  const k8s = hasNoSettings ? {} : mapOrEmpty(component.k8s)
  return {
    directory,
    release: 'istio',
    order,
    component: row.component,
    namespace: isText(component.namespace) ? component.namespace : operator.metadata.namespace,
    values: chartValues(operator, row, component),
    patches: target ? patchesFor(k8s, target) : [],
    overlays: overlaysIn(k8s.overlays),
  }
}

const overlaysIn = (list: unknown): Overlay[] =>
  mapsIn(list).map(({ kind, name, patches }) => ({
    kind: String(kind),
    name: String(name),
    patches: mapsIn(patches).map(({ path, value }) => ({ path: String(path), value })),
  }))

// The values of a chart: first those translated from the IstioOperator's fields (hub, tag, components), then, overriding them, its
// `values`.
/** A chart gets the values of all charts. ztunnel gets `global`, and its own section at the top: `ztunnel.image` becomes `image`. */
const chartValues = (operator: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const values = valuesMerged(translated(operator, row, component), mapOrEmpty(operator.spec.values))
  return row.isLifted ? { global: values.global, ...mapOrEmpty(valueAt(values, ...row.root)) } : values
}

const translated = ({ spec }: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const { hub, tag, meshConfig, components } = spec
  const values = {
    global: { hub, tag },
    meshConfig,
    // Chart `default` makes the ValidatingWebhookConfiguration of the default revision; with this value chart `base` makes none.
    defaultRevision: '',
    pilot: { enabled: isEnabled(components, 'pilot', true), cni: { enabled: isEnabled(components, 'cni', false) } },
  }
  const own = { ...(row.isGateway && gatewayValues(component)), ...scaleValues(row, component) }
  return Object.entries(own).reduce<JsonMap>(
    (map, [field, value]) => withValueAt(map, [...row.root, field], value),
    values,
  )
}

/** Charts make a PodDisruptionBudget only if there will be more than one replica, so they need the autoscaler's minimum. */
const scaleValues = ({ patched }: ChartRow, { k8s }: JsonMap): JsonMap => {
  if (patched?.kind !== 'Deployment') return {}
  const least = valueAt(k8s, 'hpaSpec', 'minReplicas')
  // With 0 a chart would make no HorizontalPodAutoscaler, and there would be nothing to patch.
  return typeof least === 'number' && least > 0 ? { autoscaleMin: least } : {}
}

const isEnabled = (components: unknown, name: string, usually: boolean): boolean =>
  (valueAt(components, name, 'enabled') ?? usually) === true

const gatewayValues = ({ name, label }: JsonMap): JsonMap => ({
  ...(name !== undefined && { name }),
  ...(isMap(label) && { labels: label }),
})
