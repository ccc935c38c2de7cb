// Adds functions of the program to a landscape: `include: [webhook-certificate]`. Included functions run in the landscape's namespace. The
// landscape's own function replaces an included function of the same name.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import { isMap, isText } from '../../core/json/json.ts'
import { valueText } from '../../core/text/text.ts'
import type { LandscapeRefusal } from './refusal.ts'

/** Adds the included functions of `carried` to the content of serverless.yml. */
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

export const includedIn = (value: unknown): string[] =>
  isMap(value) && Array.isArray(value.include) ? value.include.filter(isText) : []

/** Replaces the namespace in access rules, watches and keys. */
const inNamespace = (settings: FunctionSettings, from: string, to: string): FunctionSettings =>
  JSON.parse(JSON.stringify(settings).replaceAll(JSON.stringify(from), JSON.stringify(to)))
