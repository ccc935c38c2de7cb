// Settings of Gardener's components: lifetime of admin kubeconfigs, domain of the discovery server, project selectors of quotas.

import { isSubdomain, subdomainDetail } from '../../../../shared/core/objects/dns-name.ts'
import { invalid } from '../../../../shared/core/objects/field-error.ts'
import { isLabelKey, isLabelValue } from '../../../../shared/core/objects/label.ts'
import { durationSeconds } from '../../../../shared/core/time/duration.ts'
import { gardenerAPIServer, gardenerPath } from '../paths.ts'
import { type GardenRule, invalidIf, ownerPath, rule, says } from '../rule.ts'

const selector = `${gardenerPath}.gardenerControllerManager.defaultProjectQuotas[].projectSelector`

type Requirement = { key: string; operator: string; values?: readonly string[] }

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const comparing: readonly string[] = ['In', 'NotIn']

const isMissingValues = ({ operator, values = [] }: Requirement): boolean =>
  comparing.includes(operator) && values.length === 0

const hasNeedlessValues = ({ operator, values = [] }: Requirement): boolean =>
  operators.includes(operator) && !comparing.includes(operator) && values.length > 0

export const gardenerComponentRules: readonly GardenRule[] = [
  rule<string>({
    at: [`${gardenerAPIServer}.shootAdminKubeconfigMaxExpiration`],
    check: text => {
      const seconds = durationSeconds(text)
      return seconds === undefined || seconds < 3_600 || seconds > 2 ** 32
    },
    error: says.invalid('must be a duration from 1h to 2^32 seconds'),
  }),
  rule<string>({
    at: [`${gardenerPath}.gardenerDiscoveryServer.domain.name`],
    check: name => !isSubdomain(name),
    error: says.invalid(subdomainDetail),
  }),
  rule<string>({
    at: [`${selector}.matchLabels{}`],
    check: (value, { name: key }) => !isLabelKey(key) || !isLabelValue(value),
    error: place => invalid(ownerPath(place), `${place.name}=${place.value}`, 'must be a label'),
  }),
  rule<string>({
    at: [`${selector}.matchExpressions[].values[]`],
    check: value => !isLabelValue(value),
    error: says.invalid('must be the value of a label'),
  }),
  invalidIf<string>([`${selector}.matchExpressions[].key`], key => !isLabelKey(key), 'must be the key of a label'),
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
    error: ({ path, value }) => invalid(`${path}.values`, value.values, `must be empty for operator ${value.operator}`),
  }),
]
