// CEL's `format`: Kubernetes' string formats by name. Validating returns what is wrong, if anything is.
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { fitsFormat } from '../crd/formats.ts'
import { labelNameFaults, labelValueFaults, type NameCheck, qualifiedNameFaults, subdomainFaults } from '../names.ts'

class Format {
  readonly name: string
  readonly faults: NameCheck
  constructor(name: string, faults: NameCheck) {
    this.name = name
    this.faults = faults
  }
}

const letterFirst = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

const letterFirstFaults: NameCheck = text => [
  ...(text.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...(letterFirst.test(text)
    ? []
    : [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ]),
]

/** Checks the prefix of a generated name. */
const asPrefix =
  (check: NameCheck): NameCheck =>
  text =>
    check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text)

const known =
  (format: string, fault: string): NameCheck =>
  text =>
    fitsFormat(format, text) ? [] : [fault]

const checks: Readonly<Record<string, NameCheck>> = {
  dns1123Label: labelNameFaults,
  dns1123Subdomain: subdomainFaults,
  dns1035Label: letterFirstFaults,
  qualifiedName: qualifiedNameFaults,
  dns1123LabelPrefix: asPrefix(labelNameFaults),
  dns1123SubdomainPrefix: asPrefix(subdomainFaults),
  dns1035LabelPrefix: asPrefix(letterFirstFaults),
  labelValue: labelValueFaults,
  uri: known('uri', 'must be a valid URI'),
  uuid: known('uuid', 'does not match the UUID format'),
  byte: known('byte', 'invalid base64'),
  date: known('date', 'invalid date'),
  datetime: known('date-time', 'invalid datetime'),
}

class FormatNamespace {}

const validated = ({ faults }: Format, text: string): Optional<string[]> => {
  const found = faults(text)
  return found.length > 0 ? Optional.of(found) : Optional.none()
}

export const addNamedFormats = (environment: Environment): Environment => {
  const formats = new Map(Object.entries(checks).map(([name, check]) => [name, new Format(name, check)]))
  environment
    .registerType('Format', Format)
    .registerType('FormatNamespace', FormatNamespace)
    .registerConstant('format', 'FormatNamespace', new FormatNamespace())
    .registerFunction('FormatNamespace.named(string): optional<Format>', (_: unknown, name: string) => {
      const format = formats.get(name)
      return format ? Optional.of(format) : Optional.none()
    })
    .registerFunction('Format.validate(string): optional<list<string>>', validated)
  for (const [name, format] of formats) environment.registerFunction(`FormatNamespace.${name}(): Format`, () => format)
  return environment
}
