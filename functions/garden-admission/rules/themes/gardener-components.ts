// Settings of Gardener's components: lifetime of admin kubeconfigs, domain of the discovery server, project selectors of quotas,
// limits of gardener-admission-controller, and the users who are exempt from the limits.
import { isLabelKey, isLabelValue, isSubdomain, subdomainDetail } from '../../../../shared/core/objects/dns-name.ts'
import { type FieldError, invalid, notSupported } from '../../../../shared/core/objects/field-error.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'
import { durationSeconds } from '../../../../shared/core/time/duration.ts'
import { gardenerAPIServer, gardenerPath } from '../paths.ts'
import { type GardenRule, invalidIf, ownerPath, rule } from '../rule.ts'

const selector = `${gardenerPath}.gardenerControllerManager.defaultProjectQuotas[].projectSelector`

type Requirement = { key: string; operator: string; values?: readonly string[] }

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const comparing: readonly string[] = ['In', 'NotIn']

const isMissingValues = ({ operator, values = [] }: Requirement): boolean =>
  comparing.includes(operator) && values.length === 0

const hasNeedlessValues = ({ operator, values = [] }: Requirement): boolean =>
  operators.includes(operator) && !comparing.includes(operator) && values.length > 0

export const gardenerComponentRules: readonly GardenRule[] = [
  invalidIf<string>(
    [`${gardenerAPIServer}.shootAdminKubeconfigMaxExpiration`],
    text => {
      const seconds = durationSeconds(text)
      return seconds === undefined || seconds < 3_600 || seconds > 2 ** 32
    },
    'must be a duration from 1h to 2^32 seconds',
  ),
  invalidIf<string>(
    [`${gardenerPath}.gardenerDiscoveryServer.domain.name`],
    name => !isSubdomain(name),
    subdomainDetail,
  ),
  rule<string>({
    at: [`${selector}.matchLabels{}`],
    check: (value, { name: key }) => !isLabelKey(key) || !isLabelValue(value),
    error: place => invalid(ownerPath(place), `${place.name}=${place.value}`, 'must be a label'),
  }),
  invalidIf<string>(
    [`${selector}.matchExpressions[].values[]`],
    value => !isLabelValue(value),
    'must be the value of a label',
  ),
  invalidIf<string>([`${selector}.matchExpressions[].key`], key => !isLabelKey(key), 'must be the key of a label'),
  invalidIf<string>(
    [`${selector}.matchExpressions[].operator`],
    operator => !operators.includes(operator),
    `must be one of ${operators.join(', ')}`,
  ),
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

const configuration = `${gardenerPath}.gardenerAdmissionController.resourceAdmissionConfiguration`
const subjects = `${configuration}.unrestrictedSubjects[]`
const limits = `${configuration}.limits[]`

const modes: readonly string[] = ['block', 'log']
const kinds: readonly string[] = ['Group', 'ServiceAccount', 'User']
const rbac = 'rbac.authorization.k8s.io'

type Subject = { kind: string; name: string; namespace?: string; apiGroup?: string }
type Limit = {
  resources: string[]
  apiGroups?: string[]
  apiVersions?: string[]
  size?: string | number
  count?: number
}

const isAccount = ({ kind }: Subject): boolean => kind === 'ServiceAccount'
const isPerson = ({ kind }: Subject): boolean => kind === 'User' || kind === 'Group'

const ofSubject = (field: keyof Subject, check: (subject: Subject) => boolean, detail: string): GardenRule =>
  rule<Subject>({
    at: [subjects],
    check,
    error: ({ path, value }) => invalid(`${path}.${field}`, value[field] ?? '', detail),
  })

const lists = [
  { field: 'resources', called: 'resources' },
  { field: 'apiGroups', called: 'apiGroups' },
  { field: 'apiVersions', called: 'versions' },
] as const

const calledVersions = (path: string): string => path.replace(/\.apiVersions(\[\d+\])$/, '.versions$1')

const emptyItem = ({ path, value }: { path: string; value: unknown }): FieldError =>
  invalid(calledVersions(path), value, 'must not be empty')

const isNegative = (size: string | number): boolean => (quantityAmount(size) ?? 0) < 0

export const resourceAdmissionRules: readonly GardenRule[] = [
  rule<{ operationMode?: string }>({
    at: [configuration],
    check: ({ operationMode }) => operationMode !== undefined && !modes.includes(operationMode),
    error: ({ path, value }) => notSupported(`${path}.mode`, value.operationMode, modes),
  }),
  rule<Subject>({
    at: [subjects],
    check: ({ kind }) => !kinds.includes(kind),
    error: ({ path, value }) => notSupported(`${path}.kind`, value.kind, kinds),
  }),
  ofSubject('name', ({ name }) => name === '', 'must not be empty'),
  ofSubject('namespace', subject => isAccount(subject) && !subject.namespace, 'must not be empty'),
  ofSubject('apiGroup', subject => isAccount(subject) && Boolean(subject.apiGroup), 'must be empty'),
  ofSubject('namespace', subject => isPerson(subject) && Boolean(subject.namespace), 'must be empty'),
  rule<Subject>({
    at: [subjects],
    check: subject => isPerson(subject) && subject.apiGroup !== rbac,
    error: ({ path, value }) => notSupported(`${path}.apiGroup`, value.apiGroup ?? '', [rbac]),
  }),
  ...lists.map(({ field, called }) =>
    rule<Limit>({
      at: [limits],
      check: limit => (limit[field] ?? []).length === 0,
      error: ({ path }) => invalid(`${path}.${called}`, [], 'must have at least one element'),
    }),
  ),
  rule<string>({
    at: [`${limits}.resources[]`, `${limits}.apiVersions[]`],
    check: name => name === '',
    error: emptyItem,
  }),
  rule<Limit>({
    at: [limits],
    check: ({ size, count }) => size === undefined && count === undefined,
    error: ({ path, value }) => invalid(path, value, 'must limit size or count'),
  }),
  rule<string | number>({
    at: [`${limits}.size`, `${limits}.count`],
    check: isNegative,
    error: ({ path, value }) => invalid(path, value, 'must not be negative'),
  }),
]
