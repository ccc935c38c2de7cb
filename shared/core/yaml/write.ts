// Writes a value as one YAML document; equal values give equal text. Quotes for YAML 1.1, which kubectl and other Go programs read: without
// quotes, they parse `updateMode: Off` as false and `010` as 8.
import { stringify } from 'yaml'

export const yamlOf = (value: unknown): string => stringify(value, options)

const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
