// `.Values` and `.`: maps with the methods of Helm's type for values.

import { yamlText } from '../../template/format/yaml.ts'
import { Failure } from '../../template/run/environment.ts'
import { quote } from '../../template/syntax/literals.ts'
import { fn, within } from '../../template/value/function.ts'
import { asMap } from '../../template/value/kinds.ts'
import { GoMap, type GoValue, Struct } from '../../template/value/value.ts'

export const chartValues = (map: GoMap): Struct =>
  new Struct('common.Values', {
    under: map,
    around: chartValues,
    methods: {
      AsMap: fn('', () => (map.size === 0 ? new GoMap() : map)),
      Table: fn('string', path => chartValues(tableAt(map, path.split('.')))),
      PathValue: fn('string', path => valueAt(map, path)),
      YAML: within('', ({ budget }) => `${yamlText(map, budget)}\n`),
    },
  })

const tableAt = (map: GoMap, path: readonly string[]): GoMap =>
  path.reduce((table, key) => tableOf(table.get(key)) ?? missing(`${quote(key)} is not a table`), map)

const tableOf = (value: GoValue): GoMap | undefined => {
  const map = asMap(value)
  return map?.zero === null ? map : undefined
}

const valueAt = (map: GoMap, path: string): GoValue => {
  if (path === '') return missing('YAML path cannot be empty')
  const [key = '', ...above] = path.split('.').reverse()
  const table = above.reverse().reduce<GoMap | undefined>((inner, part) => tableOf(inner?.get(part)), map)
  const value = table?.get(key)
  return table?.has(key) && !tableOf(value) ? value : missing(`${quote(key)} is not a value`)
}

const missing = (complaint: string): never => {
  throw new Failure(complaint)
}
