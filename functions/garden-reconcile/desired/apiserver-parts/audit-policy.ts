// What an API server does not start with in an audit policy: k8s.io/apiserver/pkg/audit/policy and pkg/apis/audit/validation. Unknown fields
// are ignored there with a warning.
//
//   auditPolicyFault('{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Foo }] }')
//   // 'rules[0].level: "Foo" is none of "None", "Metadata", "Request", "RequestResponse"'
import { type Check, checks } from '../../../../shared/core/decisions/checks.ts'
import { isMap, type JsonMap } from '../../../../shared/core/json/json.ts'
import { isSubdomain } from '../../../../shared/core/objects/dns-name.ts'
import { yamlOrNothing } from '../parts/yaml-or-nothing.ts'

const isString = (value: unknown): value is string => typeof value === 'string'
const levels = ['None', 'Metadata', 'Request', 'RequestResponse']
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

/** The first fault. undefined: an API server starts with it. */
export const auditPolicyFault = (text: string): string | undefined => {
  const policy = yamlOrNothing(text)
  return isMap(policy) ? policyFault(policy) : 'is no YAML map'
}

type RuleCheck = Check<[JsonMap], string>

const textsOf =
  (field: string, isFit: (text: string) => boolean = () => true, expected = 'texts'): RuleCheck =>
  ({ [field]: value }) => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value) || !value.every(isString)) return `${field}: is no list of texts`
    const at = value.findIndex(text => !isFit(text))
    return at >= 0 && `${field}[${at}]: ${JSON.stringify(value[at])} is none of ${expected}`
  }

const quoted = (texts: readonly string[]): string => texts.map(text => JSON.stringify(text)).join(', ')
const stagesOf = textsOf('omitStages', text => stages.includes(text), quoted(stages))
const isUrl = (url: string): boolean => url === '*' || /^\/[^*]*\*?$/.test(url)
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const resourceFault = checks<[JsonMap], string>(
  ({ group }) => !!group && !(isString(group) && isSubdomain(group)) && 'group: is no DNS subdomain',
  textsOf('resources'),
  textsOf('resourceNames'),
  ({ resources, resourceNames }) =>
    isFilled(resourceNames) && !isFilled(resources) && 'resourceNames: needs at least one item in resources',
)

/** The fault of the first item that has one, with its place: `rules[0].level: …`. */
const itemsOf =
  (field: string, itemFault: (item: JsonMap) => string | undefined): RuleCheck =>
  ({ [field]: value }) => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value)) return `${field}: is no list`
    const faults = value.map((item, at) => {
      const fault = isMap(item) ? itemFault(item) : 'is no map'
      return fault && `${field}[${at}]${isMap(item) ? '.' : ': '}${fault}`
    })
    return faults.find(isString)
  }

const ruleFault = checks<[JsonMap], string>(
  ({ level = '' }) =>
    !(isString(level) && levels.includes(level)) && `level: ${JSON.stringify(level)} is none of ${quoted(levels)}`,
  ...['users', 'userGroups', 'verbs', 'namespaces'].map(field => textsOf(field)),
  textsOf('nonResourceURLs', isUrl, '"*" and paths with "*" at most at their end'),
  stagesOf,
  itemsOf('resources', resourceFault),
  ({ nonResourceURLs, resources, namespaces }) =>
    isFilled(nonResourceURLs) &&
    (isFilled(resources) || isFilled(namespaces)) &&
    'nonResourceURLs: stands beside resources or namespaces; make it a rule of its own',
)

const policyFault = checks<[JsonMap], string>(
  ({ apiVersion, kind }) =>
    (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy') &&
    'apiVersion and kind: are not audit.k8s.io/v1 and Policy',
  textsOf('omitStages'),
  ({ rules }) => !isFilled(rules) && 'rules: is no list with at least one rule',
  itemsOf('rules', ruleFault),
)
