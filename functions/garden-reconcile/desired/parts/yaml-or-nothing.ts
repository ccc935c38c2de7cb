// Reads YAML that may be invalid, where other code reports the fault.
import { readYaml, YamlError } from '../../../../shared/core/yaml/read.ts'

/** undefined: the text is not valid YAML. */
export const yamlOrNothing = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
