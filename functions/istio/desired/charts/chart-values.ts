// The values of a chart: first those translated from the IstioOperator's fields (hub, tag, components), then, overriding them, its
// `values`.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { valueAt, withValueAt } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { valuesMerged } from '../../../../shared/render/values.ts'
import type { ChartRow } from './chart-rows.ts'

/**
 * A chart gets the values of all charts. A lifted one (ztunnel) gets `global`, and its own section at the top: `ztunnel.image` becomes
 * `image`.
 */
export const chartValues = (operator: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
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
