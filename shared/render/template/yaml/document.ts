// Any value as a YAML document, by way of JSON, as sigs.k8s.io/yaml writes it.
import type { Budget } from '../run/budget.ts'
import { marshalled } from '../value/marshal.ts'
import type { GoValue } from '../value/value.ts'
import { compactStyle, writeYaml } from './write.ts'

/** Without a line break at the end. Throws a Failure for what has no JSON. */
export const yamlText = (value: GoValue, budget: Budget): string => writeYaml(marshalled(value), jsonStyle, budget)

const jsonStyle = { ...compactStyle, isByWayOfJson: true }
