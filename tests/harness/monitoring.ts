// The expressions of our dashboards and alert rules, and the series that these select.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Dashboards } from '../../docs/generator/dashboards.ts'

const folder = join(import.meta.dirname, '..', '..', 'manifests', 'monitoring')
const read = (file: string) => parse(readFileSync(join(folder, file), 'utf8'))

type Rules = { readonly groups: { readonly rules: { readonly alert: string; readonly expr: string }[] }[] }

/** Expressions by the name of their panel or rule. Variables of Grafana are replaced by values. */
export const expressions = (): Record<string, string> => {
  const panels = Object.entries(read('panels.yaml') as Dashboards).flatMap(([name, { panels }]) =>
    panels.map(({ title, expr }) => [`${name}: ${title}`, expr] as const),
  )
  const rules = (read('rules.yaml') as Rules).groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => [alert, expr] as const),
  )
  return Object.fromEntries(
    [...panels, ...rules].map(([name, expr]) => [
      name,
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.+'),
    ]),
  )
}

export type Matcher = { readonly name: string; readonly op: string; readonly value: string }

/** The matchers of each selector, in order, with the metric's name as `__name__`. It understands only the PromQL that our expressions use. */
export const selectorsIn = (expression: string): Matcher[][] => {
  const bare = expression.replace(/\b(?:by|without) \([^)]*\)/g, ' ')
  return [...bare.matchAll(/([a-z_][\w:]*)?\{([^}]*)\}|\b([a-z]\w*_\w+)\b(?!\s*\()/g)].map(
    ([, name, matchers = '', plain]) => {
      const metric = name ?? plain
      const given = [...matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(([, name = '', op = '', value = '']) => ({
        name,
        op,
        value,
      }))
      return metric === undefined ? given : [...given, { name: '__name__', op: '=', value: metric }]
    },
  )
}

/** The labels by which the expression groups. */
export const groupingsIn = (expression: string): string[] =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
