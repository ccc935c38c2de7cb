// The charts that an IstioOperator installs, each with its values and with changes of the rendered objects.
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { own, valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { valuesMerged } from '../../../shared/render/values.ts'
import { type ObjectPatch, type Overlay, type PatchTarget, patchesFor } from './object-patches.ts'

type ChartRow = {
  readonly directory: string
  readonly order: number
  /** The component's field in `spec.components`. Two charts may install the same component. */
  readonly component: string
  /** Whether the component is enabled by default. */
  readonly isUsuallyOn: boolean
  /** The path of the chart's own section in the values. For a gateway, the section contains name and labels. */
  readonly root: readonly string[]
  /** The workload that the component's `k8s` settings patch. */
  readonly patched?: PatchTarget
  readonly isGateway?: true
  /** The chart ignores the component's `k8s` settings, because another chart of the component uses them. */
  readonly hasNoSettings?: true
  /** The chart expects the values of its section at the top level, next to `global`. */
  readonly isLifted?: true
}

const gateway = (direction: 'ingress' | 'egress', isUsuallyOn: boolean): ChartRow => ({
  directory: `gateways/istio-${direction}`,
  order: 10,
  component: `${direction}Gateways`,
  isUsuallyOn,
  isGateway: true,
  root: ['gateways', `istio-${direction}gateway`],
  patched: { kind: 'Deployment', name: `istio-${direction}gateway`, container: 'istio-proxy' },
})

/** Charts by order. An order starts when all Pods of the previous one are ready. */
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
  gateway('ingress', true),
  gateway('egress', false),
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
  /** Strategic merge patches, in order of application. */
  readonly patches: readonly ObjectPatch[]
  /** Applied after the patches, in this order. */
  readonly overlays: readonly Overlay[]
}

/** The charts of all enabled components. */
export const chartsOf = (operator: IstioOperator): readonly DesiredChart[] =>
  chartRows.flatMap(row => {
    const component = componentOf(operator, row)
    return (component.enabled ?? row.isUsuallyOn) === true ? [desiredChart(operator, row, component)] : []
  })

/** Lists of gateways have at most one item (istio-operator.ts). */
const componentOf = ({ spec }: IstioOperator, { component }: ChartRow): JsonMap => {
  const value = own(mapOrEmpty(spec.components), component)
  return mapOrEmpty(Array.isArray(value) ? value[0] : value)
}

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

/**
 * The chart's values: those derived from hub, tag and components, overridden by the IstioOperator's `values`. ztunnel gets only `global`,
 * and its own section at the top level: `ztunnel.image` becomes `image`.
 */
const chartValues = (operator: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const values = valuesMerged(translated(operator, row, component), mapOrEmpty(operator.spec.values))
  return row.isLifted ? { global: values.global, ...mapOrEmpty(valueAt(values, ...row.root)) } : values
}

const translated = ({ spec }: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const { hub, tag, meshConfig, components } = spec
  const values = {
    global: { hub, tag },
    meshConfig,
    // Chart `default` creates the ValidatingWebhookConfiguration of the default revision. With this value, chart `base` creates none.
    defaultRevision: '',
    pilot: { enabled: isEnabled(components, 'pilot', true), cni: { enabled: isEnabled(components, 'cni', false) } },
  }
  const own = { ...(row.isGateway && gatewayValues(component)), ...scaleValues(row, component) }
  return Object.entries(own).reduce<JsonMap>(
    (map, [field, value]) => withValueAt(map, [...row.root, field], value),
    values,
  )
}

/** Charts render a PodDisruptionBudget only for more than one replica, so they need the autoscaler's minimum. */
const scaleValues = ({ patched }: ChartRow, { k8s }: JsonMap): JsonMap => {
  if (patched?.kind !== 'Deployment') return {}
  const least = valueAt(k8s, 'hpaSpec', 'minReplicas')
  // With 0, a chart renders no HorizontalPodAutoscaler, and the patch would have no target.
  return typeof least === 'number' && least > 0 ? { autoscaleMin: least } : {}
}

const isEnabled = (components: unknown, name: string, usually: boolean): boolean =>
  (valueAt(components, name, 'enabled') ?? usually) === true

const gatewayValues = ({ name, label }: JsonMap): JsonMap => ({
  ...(name !== undefined && { name }),
  ...(isMap(label) && { labels: label }),
})
