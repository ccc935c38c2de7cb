// Gardener's own components: how long administrators may stay, and which projects a quota is for.
import { durationSeconds } from '../../../shared/core/duration.ts'
import { invalid } from '../../../shared/core/field-error.ts'
import { gardener, gardenerAPIServer } from './paths.ts'
import { type Rule, rule, ruleOfEach, says } from './rule.ts'

const selector = `${gardener}.gardenerControllerManager.defaultProjectQuotas[].projectSelector`

type Requirement = { key: string; operator: string; values?: readonly string[] }

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const comparing: readonly string[] = ['In', 'NotIn']

const name = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/
const prefix = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/

const isLabelKey = (key: string): boolean => {
  const [last = '', first, ...more] = key.split('/').reverse()
  return name.test(last) && (first === undefined || (first.length <= 253 && prefix.test(first))) && more.length === 0
}
const isLabelValue = (value: string): boolean => value === '' || name.test(value)

const isMissingValues = ({ operator, values = [] }: Requirement): boolean =>
  comparing.includes(operator) && values.length === 0

const hasNeedlessValues = ({ operator, values = [] }: Requirement): boolean =>
  operators.includes(operator) && !comparing.includes(operator) && values.length > 0

export const gardenerComponentRules: readonly Rule[] = [
  rule<string>({
    at: [`${gardenerAPIServer}.shootAdminKubeconfigMaxExpiration`],
    check: text => {
      const seconds = durationSeconds(text)
      return seconds === undefined || seconds < 3_600 || seconds > 2 ** 32
    },
    error: says.invalid('must be a duration from 1h to 2^32 seconds'),
  }),
  ruleOfEach<Readonly<Record<string, string>>, string>({
    at: [`${selector}.matchLabels`],
    check: labels => Object.keys(labels).filter(key => !isLabelKey(key) || !isLabelValue(labels[key] ?? '')),
    error: ({ path, value }, key) => invalid(path, `${key}=${value[key]}`, 'must be a label'),
  }),
  rule<string>({
    at: [`${selector}.matchExpressions[].key`],
    check: key => !isLabelKey(key),
    error: says.invalid('must be the key of a label'),
  }),
  rule<string>({
    at: [`${selector}.matchExpressions[].operator`],
    check: operator => !operators.includes(operator),
    error: says.invalid(`must be one of ${operators.join(', ')}`),
  }),
  rule<Requirement>({
    at: [`${selector}.matchExpressions[]`],
    check: isMissingValues,
    error: ({ path, value }) => invalid(`${path}.values`, value.values ?? [], `${value.operator} needs values`),
  }),
  rule<Requirement>({
    at: [`${selector}.matchExpressions[]`],
    check: hasNeedlessValues,
    error: ({ path, value }) => invalid(`${path}.values`, value.values, `${value.operator} has no values`),
  }),
]
