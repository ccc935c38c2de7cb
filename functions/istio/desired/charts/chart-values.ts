// The values of a chart: what the IstioOperator says in fields of its own, and over that the values in it.

import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { valueAt, withValueAt } from '../../../../shared/core/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json.ts'
import { valuesMerged } from '../../../../shared/render/values.ts'
import type { ChartRow } from './chart-rows.ts'

/** All charts get the values of all, except one that wants its own lifted. */
export const chartValues = (operator: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const values = valuesMerged(translated(operator, row, component), mapOrEmpty(operator.spec.values))
  return row.isLifted ? { global: values.global, ...mapOrEmpty(valueAt(values, ...row.root)) } : values
}

const translated = ({ spec }: IstioOperator, row: ChartRow, component: JsonMap): JsonMap => {
  const { hub, tag, meshConfig, components } = spec
  const values = {
    global: { hub, tag },
    meshConfig,
    // The validator comes with the default tag: of two charts that make it one must not.
    defaultRevision: '',
    pilot: { enabled: isEnabled(components, 'pilot', true), cni: { enabled: isEnabled(components, 'cni', false) } },
  }
  const own = { ...(row.isGateway && gatewayValues(component)), ...scaleValues(row, component) }
  return Object.entries(own).reduce<JsonMap>(
    (map, [field, value]) => withValueAt(map, [...row.root, field], value),
    values,
  )
}

/** Charts ask how many there will be at least, before they make a PodDisruptionBudget. */
const scaleValues = ({ patched }: ChartRow, { k8s }: JsonMap): JsonMap => {
  if (patched?.kind !== 'Deployment') return {}
  const least = valueAt(k8s, 'hpaSpec', 'minReplicas')
  // With none they would make no autoscaler that could be changed.
  return typeof least === 'number' && least > 0 ? { autoscaleMin: least } : {}
}

/** Charts ask whether other components are there. */
const isEnabled = (components: unknown, name: string, usually: boolean): boolean =>
  (valueAt(components, name, 'enabled') ?? usually) === true

const gatewayValues = ({ name, label }: JsonMap): JsonMap => ({
  ...(name !== undefined && { name }),
  ...(isMap(label) && { labels: label }),
})
