// Label selectors of requests: what is none is refused in the API server's words.
import { LabelSelectorError, parseLabelSelector as parse, type Requirement } from '../../core/objects/label-selector.ts'
import { labelValueFaults, qualifiedNameFaults } from '../names.ts'
import { badRequest } from '../status.ts'

export { matchesLabels, structuredSelector } from '../../core/objects/label-selector.ts'

/** Parses `a=b,c in (d,e),!f`; throws BadRequest for anything else. */
export const parseLabelSelector = (text: string): Requirement[] => {
  try {
    return parse(text, faultOf)
  } catch (error) {
    throw error instanceof LabelSelectorError ? badRequest(error.message) : error
  }
}

const faultOf = ({ key, values }: Requirement): string | undefined => {
  const [keyFault] = qualifiedNameFaults(key)
  if (keyFault) return invalid('key', key, keyFault)
  const value = values.find(value => labelValueFaults(value).length > 0)
  return value === undefined ? undefined : invalid(`values[0][${key}]`, value, labelValueFaults(value)[0])
}

const invalid = (field: string, value: string, fault: string | undefined): string =>
  `unable to parse requirement: ${field}: Invalid value: ${JSON.stringify(value)}: ${fault}`
