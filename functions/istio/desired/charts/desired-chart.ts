// The charts that an IstioOperator installs, each with its values and the changes of its objects.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { own, valueAt, withValueAt } from '../../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { valuesMerged } from '../../../../shared/render/values.ts'
import { type ObjectPatch, type PatchTarget, patchesFor } from './object-patches.ts'

// Istio's charts: the component of the IstioOperator that each installs, and the wave in which its objects are applied.

type ChartRow = {
  readonly directory: string
  readonly order: number
  /** The field of `spec.components`. Two charts may install the same component. */
  readonly component: string
  /** Whether the component is enabled where the IstioOperator does not say so. */
  readonly isUsuallyOn: boolean
  /** Path of the chart's own section in the values. A gateway's name and labels belong there, too. */
  readonly root: readonly string[]
  /** The workload that the component's `k8s` settings change. */
  readonly patched?: PatchTarget
  readonly isGateway?: true
  /** The component's `k8s` settings are for the other chart of the component. */
  readonly hasNoSettings?: true
  /** The chart expects the values of its section at the top, beside `global`. */
  readonly isLifted?: true
}

/** Wave by wave: the next begins when all Pods of the one before are ready. */
const chartRows: readonly ChartRow[] = [
  { directory: 'base', order: 0, component: 'base', isUsuallyOn: true, root: ['global'] },
  {
    directory: 'istio-control/istio-discovery',
    order: 0,
    component: 'pilot',
    isUsuallyOn: true,
    root: ['pilot'],
    patched: { kind: 'Deployment', name: 'istiod', container: 'discovery' },
  },
  {
    directory: 'istio-cni',
    order: 0,
    component: 'cni',
    isUsuallyOn: false,
    root: ['cni'],
    patched: { kind: 'DaemonSet', name: 'istio-cni-node', container: 'install-cni' },
  },
  {
    directory: 'gateways/istio-ingress',
    order: 10,
    component: 'ingressGateways',
    isUsuallyOn: true,
    isGateway: true,
    root: ['gateways', 'istio-ingressgateway'],
    patched: { kind: 'Deployment', name: 'istio-ingressgateway', container: 'istio-proxy' },
  },
  {
    directory: 'gateways/istio-egress',
    order: 10,
    component: 'egressGateways',
    isUsuallyOn: false,
    isGateway: true,
    root: ['gateways', 'istio-egressgateway'],
    patched: { kind: 'Deployment', name: 'istio-egressgateway', container: 'istio-proxy' },
  },
  {
    directory: 'ztunnel',
    order: 10,
    component: 'ztunnel',
    isUsuallyOn: false,
    root: ['ztunnel'],
    isLifted: true,
    patched: { kind: 'DaemonSet', name: 'ztunnel', container: 'istio-proxy' },
  },
  { directory: 'default', order: 10, component: 'pilot', isUsuallyOn: true, root: [], hasNoSettings: true },
]

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
