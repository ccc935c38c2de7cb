// Writes a value as one YAML document, the same text for the same value. Programs in Go, kubectl among them, read YAML 1.1, in which
// `Off`, `yes` and `010` mean something else without quotes: `updateMode: Off` would be false.
import { stringify } from 'yaml'

export const yamlOf = (value: unknown): string => stringify(value, options)

const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
