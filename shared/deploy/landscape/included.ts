// Functions that a landscape takes along by name: `include: [webhook-certificate]`. They are those of the program, in the landscape's own
// namespace, and a function of the same name in the landscape replaces one.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import { isMap, isText } from '../../core/json/json.ts'
import { valueText } from '../../core/text/text.ts'
import type { LandscapeRefusal } from './refusal.ts'

/** What serverless.yml says, as it is read, with the functions that it includes of `carried`. */
export const withIncluded = (value: unknown, carried: Landscape): unknown => {
  const { namespace } = isMap(value) && isMap(value.provider) ? value.provider : {}
  if (!isMap(value) || !isText(namespace)) return value
  const settings = includedIn(value).flatMap(name => {
    const found = carried.functions[name]
    return found ? [[name, inNamespace(found, carried.provider.namespace, namespace)]] : []
  })
  return {
    ...value,
    functions: { ...Object.fromEntries(settings), ...(isMap(value.functions) ? value.functions : {}) },
  }
}

export const includeFaults = (value: unknown, carried: Landscape): LandscapeRefusal[] =>
  includedIn(value).flatMap((name, at) =>
    carried.functions[name]
      ? []
      : [{ path: `include[${at}]`, found: valueText(name), allowed: Object.keys(carried.functions).join(', ') }],
  )

/** The names that a landscape includes. */
export const includedIn = (value: unknown): string[] =>
  isMap(value) && Array.isArray(value.include) ? value.include.filter(isText) : []

/** The namespace stands in access rules, watches and keys. */
const inNamespace = (settings: FunctionSettings, from: string, to: string): FunctionSettings =>
  JSON.parse(JSON.stringify(settings).replaceAll(JSON.stringify(from), JSON.stringify(to)))
