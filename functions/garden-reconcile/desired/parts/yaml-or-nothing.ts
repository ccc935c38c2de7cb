// Reads texts that may be broken. Their faults are reported elsewhere.
import { readYaml, YamlError } from '../../../../shared/core/yaml/read.ts'

/** undefined: the text is no YAML. */
export const yamlOrNothing = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
