// Any value as a YAML document, by way of JSON, as sigs.k8s.io/yaml writes it.
import type { Budget } from '../run/budget.ts'
import { marshalled } from '../value/marshal.ts'
import { GoMap, type GoValue, Struct } from '../value/value.ts'
import { compactStyle, writeYaml } from './write.ts'

/** Without a line break at the end. Throws a Failure for what has no JSON. */
export const yamlText = (value: GoValue, budget: Budget): string =>
  writeYaml(inYaml(marshalled(value)), compactStyle, budget)

/** Numbers without a fraction are integers on their way through JSON, if its shortest digits for them are within 64 bits. */
const inYaml = (value: GoValue): GoValue => {
  if (value instanceof Struct) return inYaml(value.fields)
  if (value instanceof GoMap) return new GoMap([...value].map(([key, item]) => [key, inYaml(item)]))
  if (Array.isArray(value)) return value.map(inYaml)
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= 1e21) return value
  const whole = BigInt(String(value))
  return whole >= -(2n ** 63n) && whole < 2n ** 64n ? whole : value
}
