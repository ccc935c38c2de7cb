// Checks configurations of gardener-apiserver's admission plugins. gardener-apiserver does not start with an invalid configuration. Plugins
// that are not listed here read no configuration.
import { flag, list, mapOf, options, type Typed, text } from '../../../../shared/api/schema.ts'
import { repeatedItems } from '../../../../shared/core/apiserver/configuration.ts'
import { isSubdomain } from '../../../../shared/core/objects/dns-name.ts'
import { duplicate, type FieldError, invalid, notSupported } from '../../../../shared/core/objects/field-error.ts'
import { isLabelKey, isLabelValue } from '../../../../shared/core/objects/label.ts'
import { type Judge, row } from './plugin-configuration.ts'

const tolerated = options({ key: text, value: text })

const toleratedErrors = (path: string, given: readonly Typed<typeof tolerated>[] = []): FieldError[] => {
  const keys = new Set<string>()
  return given.flatMap(({ key = '', value }, at) => {
    const id = value === undefined ? key : `${key}=${value}`
    const isRepeated = keys.has(id) || keys.has(key)
    keys.add(id)
    return [
      ...(isLabelKey(key) ? [] : [invalid(`${path}[${at}].key`, key, 'must be the key of a label')]),
      ...(isLabelValue(value ?? '') ? [] : [invalid(`${path}[${at}].value`, value, 'must be the value of a label')]),
      ...(isRepeated ? [duplicate(`${path}[${at}]`, id)] : []),
    ]
  })
}

const suffixErrors = (given: readonly string[]): FieldError[] => {
  const names = given.map(one => one.replace(/^\./, ''))
  const repeated = repeatedItems(names)
  return given.flatMap((suffix, at) => {
    const [path, name = ''] = [`commonSuffixes[${at}]`, names[at]]
    return [
      ...(name.includes('.') ? [] : [invalid(path, suffix, "must contain at least one non-leading dot ('.')")]),
      ...(repeated.has(at) ? [duplicate(path, name)] : []),
      ...(isSubdomain(name.replace(/\.$/, '')) ? [] : [invalid(path, suffix, 'must be a valid DNS subdomain')]),
    ]
  })
}

const selector = options({
  matchLabels: mapOf(text),
  matchExpressions: list(options({ key: text, operator: text, values: list(text) })),
})

/** The operators of structured selectors, and whether they need values. */
const hasValues = new Map([
  ['In', true],
  ['NotIn', true],
  ['Exists', false],
  ['DoesNotExist', false],
])

const selectorErrors = (path: string, { matchLabels = {}, matchExpressions = [] }: Typed<typeof selector>) => [
  ...Object.entries(matchLabels).flatMap(([key, value]) => labelErrors(`${path}.matchLabels`, key, [value])),
  ...matchExpressions.flatMap(({ key = '', operator = '', values = [] }, at): FieldError[] => {
    const place = `${path}.matchExpressions[${at}]`
    const needsValues = hasValues.get(operator)
    if (needsValues === undefined) return [notSupported(`${place}.operator`, operator, [...hasValues.keys()])]
    const isFit = values.length > 0 === needsValues
    const needed = needsValues
      ? "must be specified when `operator` is 'In' or 'NotIn'"
      : 'must be empty for the operator'
    return [...(isFit ? [] : [invalid(`${place}.values`, values, needed)]), ...labelErrors(place, key, values)]
  }),
]

const labelErrors = (path: string, key: string, values: readonly string[]): FieldError[] => [
  ...(isLabelKey(key) ? [] : [invalid(path, key, 'must be the key of a label')]),
  ...values.filter(value => !isLabelValue(value)).map(value => invalid(path, value, 'must be the value of a label')),
]

const alpha = (plugin: string) => ({ [`${plugin}.admission.gardener.cloud/v1alpha1`]: 'Configuration' })

export const gardenerPluginConfigurations: Readonly<Record<string, Judge>> = {
  ShootTolerationRestriction: row({
    kinds: alpha('shoottolerationrestriction'),
    shape: options({ defaults: list(tolerated), whitelist: list(tolerated) }),
    errors: ({ defaults, whitelist }) => [
      ...toleratedErrors('defaults', defaults),
      ...toleratedErrors('whitelist', whitelist),
    ],
  }),
  ShootDNSRewriting: row({
    kinds: alpha('shootdnsrewriting'),
    shape: options({ commonSuffixes: list(text) }),
    errors: ({ commonSuffixes = [] }) => suffixErrors(commonSuffixes),
  }),
  ShootResourceReservation: row({
    kinds: alpha('shootresourcereservation'),
    shape: options({ useGKEFormula: flag, selector }),
    errors: ({ selector }) => selectorErrors('selector', selector ?? {}),
  }),
}
