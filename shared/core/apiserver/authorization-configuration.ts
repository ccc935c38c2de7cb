// Checks structured authorization as k8s.io/apiserver/pkg/apis/apiserver/validation does, because kube-apiserver does not start with an
// invalid one. Also refuses parts that Gardener adds itself: RBAC and the kubeconfigs of webhooks.
import { flag, list, options, type Typed, text } from '../../api/schema.ts'
import { subdomainFaults } from '../objects/dns-name.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../objects/field-error.ts'
import { durationNanos } from '../time/duration.ts'
import {
  type ConfigurationFile,
  configurationFault,
  invalidConfiguration,
  kindIn,
  repeatedItems,
} from './configuration.ts'
import { expressionFault, request } from './expression.ts'

const purpose = 'authorization configuration'
/** The path of the whole list in messages of Kubernetes. */
const root = '[].authorizers'

const webhook = options({
  authorizedTTL: text,
  cacheAuthorizedRequests: flag,
  unauthorizedTTL: text,
  cacheUnauthorizedRequests: flag,
  timeout: text,
  subjectAccessReviewVersion: text,
  matchConditionSubjectAccessReviewVersion: text,
  failurePolicy: text,
  connectionInfo: options({ type: text, kubeConfigFile: text }),
  matchConditions: list(options({ expression: text })),
})

const authorizer = options({ type: text, name: text, webhook })
const configuration = options({ authorizers: list(authorizer) })

type Webhook = Typed<typeof webhook>
type Authorizer = Typed<typeof authorizer>

type Server = {
  readonly garden: string
  /** Names of authorizers that have a kubeconfig. */
  readonly withKubeconfig: readonly string[]
}

const ownAuthorizers: readonly string[] = ['rbac', 'seed-authorizer']

export const authorizationFault = (server: Server, content: string): string | undefined =>
  configurationFault(fileOf(server), content)

const fileOf = (server: Server): ConfigurationFile<Typed<typeof configuration>> => ({
  ...{ purpose, shape: configuration, isStrict: true },
  kinds: kindIn(
    'AuthorizationConfiguration',
    ['v1alpha1', 'v1beta1', 'v1'].map(version => `apiserver.config.k8s.io/${version}`),
  ),
  fault: ({ authorizers = [] }) =>
    connectionFault(authorizers) ?? kubeconfigFault(server, authorizers) ?? valueFault(authorizers),
})

const isCalling = ({ type, webhook }: Authorizer): boolean => type === 'Webhook' && webhook !== undefined

const connectionFault = (authorizers: readonly Authorizer[]): string | undefined => {
  const at = authorizers.findIndex(
    one => isCalling(one) && Object.values(one.webhook?.connectionInfo ?? {}).some(Boolean),
  )
  const error = forbidden(`authorizers[${at}].connectionInfo`, 'connectionInfo is not allowed to be set')
  return at < 0 ? undefined : invalidConfiguration(purpose, [error])
}

const kubeconfigFault = (server: Server, authorizers: readonly Authorizer[]): string | undefined => {
  const names = authorizers.filter(isCalling).map(({ name = '' }) => name)
  const reached = new Set(server.withKubeconfig)
  const missing = names.find(name => !reached.has(name))
  return missing === undefined
    ? undefined
    : `provided invalid ${purpose}: must provide kubeconfig secret name reference for webhook authorizer "${missing}" in garden ${server.garden}`
}

const valueFault = (authorizers: readonly Authorizer[]): string | undefined => {
  const none = required(root, 'at least one authorization mode must be defined')
  const repeated = repeatedItems([...ownAuthorizers, ...authorizers.map(({ name }) => name)])
  const errors = authorizers.flatMap((one, at) =>
    authorizerErrors(`${root}[${at}]`, one, repeated.has(ownAuthorizers.length + at)),
  )
  return invalidConfiguration(purpose, authorizers.length === 0 ? [none] : errors)
}

const authorizerErrors = (path: string, { type = '', name = '', webhook }: Authorizer, isRepeated: boolean) => {
  if (type === '') return [required(`${path}.type`, '')]
  if (type !== 'Webhook') return [notSupported(`${path}.type`, type, ['Webhook'])]
  return [
    ...nameErrors(`${path}.name`, name, isRepeated),
    ...(webhook ? webhookErrors(path, webhook) : [required(`${path}.webhook`, 'required when type=Webhook')]),
  ]
}

const nameErrors = (path: string, name: string, isRepeated: boolean): FieldError[] => {
  if (name === '') return [required(path, '')]
  if (isRepeated) return [duplicate(path, name)]
  const faults = subdomainFaults(name)
  return faults.length > 0 ? [invalid(path, name, `authorizer name is invalid: ${faults.join(', ')}`)] : []
}

const webhookErrors = (path: string, given: Webhook): FieldError[] => [
  ...timeErrors(`${path}.timeout`, given.timeout, { isRequired: true, mostSeconds: 30 }),
  ...timeErrors(`${path}.authorizedTTL`, given.authorizedTTL, {}),
  ...timeErrors(`${path}.unauthorizedTTL`, given.unauthorizedTTL, {}),
  ...wordErrors(`${path}.subjectAccessReviewVersion`, given.subjectAccessReviewVersion, ['v1', 'v1beta1']),
  ...conditionVersionErrors(`${path}.matchConditionSubjectAccessReviewVersion`, given),
  ...wordErrors(`${path}.failurePolicy`, given.failurePolicy, ['NoOpinion', 'Deny']),
  ...conditionErrors(`${path}.matchConditions`, given.matchConditions ?? []),
]

const wordErrors = (path: string, word: string | undefined, words: readonly string[]): FieldError[] => {
  if (!word) return [required(path, '')]
  return words.includes(word) ? [] : [notSupported(path, word, words)]
}

const conditionVersionErrors = (path: string, given: Webhook): FieldError[] => {
  const { matchConditionSubjectAccessReviewVersion: version, matchConditions = [] } = given
  if (version) return wordErrors(path, version, ['v1'])
  return matchConditions.length > 0 ? [required(path, 'required if match conditions are specified')] : []
}

type Times = { readonly isRequired?: true; readonly mostSeconds?: number }

/** If an optional duration is absent or 0s, Kubernetes uses a default. */
const timeErrors = (path: string, given: string | undefined, { isRequired, mostSeconds }: Times): FieldError[] => {
  const nanos = given === undefined ? 0n : durationNanos(given)
  const expected = mostSeconds === undefined ? 'must be > 0s' : `must be > 0s and <= ${mostSeconds}s`
  if (nanos === undefined) return [invalid(path, given, 'must be a duration such as 10s')]
  if (nanos === 0n) return isRequired ? [required(path, '')] : []
  const isLong = mostSeconds !== undefined && nanos > BigInt(mostSeconds) * 1_000_000_000n
  return nanos < 0n || isLong ? [invalid(path, given, expected)] : []
}

type Condition = { readonly expression?: string }

const conditionErrors = (path: string, conditions: readonly Condition[]): FieldError[] => {
  if (conditions.length > 64) return [tooMany(path, conditions.length, 64)]
  const repeated = repeatedItems(conditions.map(({ expression }) => expression))
  return conditions.flatMap(({ expression = '' }, at) => {
    const place = `${path}[${at}].expression`
    if (expression.trim() === '') return [required(place, '')]
    const fault = expressionFault(expression, { variable: request, isBool: true })
    if (repeated.has(at)) return [duplicate(place, expression)]
    return fault === undefined ? [] : [invalid(place, expression, fault)]
  })
}
