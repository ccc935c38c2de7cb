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
    pilot: { enabled: isEnabled(components, 'pilot', true), cni: { enabled: isEnabled(components, 'cni', false) } },
  }
  return row.isGateway ? withValueAt(values, row.root, gatewayValues(component)) : values
}

/** Charts ask whether other components are there. */
const isEnabled = (components: unknown, name: string, usually: boolean): boolean =>
  (valueAt(components, name, 'enabled') ?? usually) === true

const gatewayValues = ({ name, label }: JsonMap): JsonMap => ({
  ...(name !== undefined && { name }),
  ...(isMap(label) && { labels: label }),
})
