// Writes a value as one YAML document; equal values give equal text. Quotes for YAML 1.1, which kubectl and other Go programs read:
// without quotes, `Off`, `yes` and `010` would be parsed as other values, for example `updateMode: Off` as false.
import { stringify } from 'yaml'

export const yamlOf = (value: unknown): string => stringify(value, options)

const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
