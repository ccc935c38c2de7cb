// Checks audit policies as k8s.io/apiserver/pkg/apis/audit/validation does, because an API server does not start with an invalid one. The
// server only warns about unknown fields.
import { flag, list, options, raw, type Typed, text } from '../../api/schema.ts'
import { subdomainFaults } from '../objects/dns-name.ts'
import { type FieldError, invalid, notSupported, required } from '../objects/field-error.ts'
import { type ConfigurationFile, configurationFault, invalidConfiguration } from './configuration.ts'

const purpose = 'audit policy'
const levels = ['None', 'Metadata', 'Request', 'RequestResponse']
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

const groupResources = options({ group: text, resources: list(text), resourceNames: list(text) })

const rule = options({
  level: text,
  users: list(text),
  userGroups: list(text),
  verbs: list(text),
  resources: list(groupResources),
  namespaces: list(text),
  nonResourceURLs: list(text),
  omitStages: list(text),
  omitManagedFields: flag,
})

const policy = options({ metadata: raw, rules: list(rule), omitStages: list(text), omitManagedFields: flag })

type Server = { readonly knowsAnyGroup: boolean }

/** `knowsAnyGroup`: the server accepts the group `*`, as kube-apiserver has done since 1.36. */
export const auditPolicyFault = (server: Server, content: string): string | undefined =>
  configurationFault(fileOf(server), content)

const fileOf = (server: Server): ConfigurationFile<Typed<typeof policy>> => ({
  ...{ purpose, kinds: { 'audit.k8s.io/v1': 'Policy' }, shape: policy },
  fault: ({ omitStages = [], rules = [] }) =>
    invalidConfiguration(purpose, [
      ...stageErrors('omitStages', omitStages),
      // Gardener's webhook accepts a policy without rules.
      ...(rules.length === 0 ? [required('rules', 'an API server does not start without a rule')] : []),
      ...rules.flatMap((one, at) => ruleErrors(server, `rules[${at}]`, one)),
    ]),
})

const ruleErrors = (server: Server, path: string, one: Typed<typeof rule>): FieldError[] => {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [], omitStages = [] } = one
  const isMixed = nonResourceURLs.length > 0 && resources.length + namespaces.length > 0
  const mixed = 'rules cannot apply to both regular resources and non-resource URLs'
  return [
    ...levelErrors(`${path}.level`, level),
    ...nonResourceURLs.flatMap((url, at) => urlErrors(`${path}.nonResourceURLs[${at}]`, url)),
    ...resources.flatMap(group => resourceErrors(server, `${path}.resources`, group)),
    ...stageErrors(`${path}.omitStages`, omitStages),
    ...(isMixed ? [invalid(`${path}.nonResourceURLs`, nonResourceURLs, mixed)] : []),
  ]
}

const levelErrors = (path: string, level: string): FieldError[] => {
  if (level === '') return [required(path, '')]
  return levels.includes(level) ? [] : [notSupported(path, level, levels)]
}

const stageErrors = (path: string, given: readonly string[]): FieldError[] =>
  given.flatMap((stage, at) =>
    stages.includes(stage) ? [] : [invalid(`${path}[${at}]`, stage, `allowed stages are ${stages.join()}`)],
  )

const urlErrors = (path: string, url: string): FieldError[] => {
  if (url === '*') return []
  return [
    ...(url.startsWith('/') ? [] : [invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*')
      ? [invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ]
}

/** The path has no index, as in the API server's messages. */
const resourceErrors = (
  { knowsAnyGroup }: Server,
  path: string,
  { group = '', resources = [], resourceNames = [] }: Typed<typeof groupResources>,
): FieldError[] => {
  const faults = group === '' || (knowsAnyGroup && group === '*') ? [] : subdomainFaults(group)
  return [
    ...(faults.length > 0 ? [invalid(`${path}.group`, group, faults.join())] : []),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [invalid(`${path}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource')]
      : []),
  ]
}
