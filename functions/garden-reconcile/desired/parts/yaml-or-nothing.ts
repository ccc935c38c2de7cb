// Texts that people write, or that were written before: what is wrong with them is reported elsewhere.
import { readYaml, YamlError } from '../../../../shared/core/yaml/read.ts'

/** The value of a text; what is no YAML says nothing. */
export const yamlOrNothing = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
