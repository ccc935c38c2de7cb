// ValidatingWebhookConfiguration and MutatingWebhookConfiguration: their defaults and checks.
import type { Environment } from '@marcbachmann/cel-js'
import type { KubeObject } from '../../core/objects/object.ts'
import { expressionFaults, policyLanguage } from '../admission/policies/compile.ts'
import { qualifiedNameFaults } from '../names.ts'
import { duplicate, type FieldFault, faultsIn, invalidValue, required, unlisted } from '../status.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt } from '../value.ts'
import { defaultsAt, fill } from './trait.ts'

const matching = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }

const webhookDefaults = defaultsAt({
  'webhooks[]': { failurePolicy: 'Fail', ...matching, timeoutSeconds: 10 },
  'webhooks[].rules[]': { scope: '*' },
  'webhooks[].clientConfig.service': { port: 443 },
})

export const webhookConfigurationDefaults = (draft: KubeObject): void => {
  webhookDefaults(draft)
  if (draft.kind === 'MutatingWebhookConfiguration')
    for (const webhook of mapsAt(draft, 'webhooks')) fill(webhook, { reinvocationPolicy: 'Never' })
}

/** Defaults of `matchConstraints` in a policy, and of `matchResources` in a binding. */
export const constraintDefaults = (path: string): Readonly<Record<string, JsonMap>> => ({
  [path]: matching,
  [`${path}.resourceRules[]`]: { scope: '*' },
  [`${path}.excludeResourceRules[]`]: { scope: '*' },
})

export const webhookFaults = (object: KubeObject): FieldFault[] => {
  const names = new Set<unknown>()
  return mapsAt(object, 'webhooks').flatMap((webhook, index) => {
    const path = `webhooks[${index}]`
    const again = names.has(webhook.name) ? [duplicate(`${path}.name`, webhook.name)] : []
    names.add(webhook.name)
    return [...oneWebhookFaults(webhook, path), ...again]
  })
}

const needsDots = 'should be a domain with at least three segments separated by dots'

const oneWebhookFaults = (webhook: JsonMap, path: string): FieldFault[] => {
  const name = String(webhook.name ?? '')
  const seconds = Number(webhook.timeoutSeconds)
  const isTimely = seconds >= 1 && seconds <= 30
  return faultsIn(
    name === '' && required(`${path}.name`),
    name !== '' && name.split('.').length < 3 && invalidValue(`${path}.name`, name, needsDots),
    sideEffectFault(webhook, path),
    !isTimely && invalidValue(`${path}.timeoutSeconds`, seconds, 'the timeout value must be between 1 and 30 seconds'),
    clientConfigFaults(fieldsAt(webhook, 'clientConfig') ?? {}, `${path}.clientConfig`),
    reviewVersionFault(webhook, path),
    mapsAt(webhook, 'rules').flatMap((rule, index) => admissionRuleFaults(rule, `${path}.rules[${index}]`)),
    matchConditionFaults(webhook, path, false),
  )
}

export const matchConditionFaults = (holder: JsonMap, path: string, hasParams: boolean): FieldFault[] => {
  const conditions = mapsAt(holder, 'matchConditions')
  if (conditions.length === 0) return []
  const language = policyLanguage({ hasParams, hasAuthorizer: true })
  const names = conditions.map(({ name }) => String(name ?? ''))
  return conditions.flatMap((condition, index) => {
    const place = `${path}.matchConditions[${index}]`
    const name = names[index] ?? ''
    return faultsIn(
      expressionGivenFaults(String(condition.expression ?? '').trim(), place, language),
      name === '' && required(`${place}.name`),
      name !== '' && qualifiedNameFaults(name).map(why => invalidValue(`${place}.name`, name, why)),
      name !== '' && names.indexOf(name) < index && duplicate(`${place}.name`, name),
    )
  })
}

const expressionGivenFaults = (expression: string, path: string, language: Environment): FieldFault[] =>
  expression === ''
    ? [required(`${path}.expression`)]
    : expressionFaults(expression, `${path}.expression`, { language, types: ['bool'] })

const reviewVersionFault = (webhook: JsonMap, path: string): FieldFault | false => {
  const field = `${path}.admissionReviewVersions`
  const versions = listAt(webhook, 'admissionReviewVersions')
  if (versions.length === 0) return required(field, 'must specify one of v1, v1beta1')
  const isKnown = versions.some(version => version === 'v1' || version === 'v1beta1')
  return !isKnown && invalidValue(field, versions, 'must include at least one of v1, v1beta1')
}

const sideEffectFault = ({ sideEffects = null }: JsonMap, path: string): FieldFault | false =>
  sideEffects === null
    ? required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')
    : unlisted(`${path}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun'])

const clientConfigFaults = (config: JsonMap, path: string): FieldFault[] => {
  const isOne = (config.url === undefined) !== (config.service === undefined)
  if (!isOne) return [required(path, 'exactly one of url or service is required')]
  const scheme = config.url === undefined ? 'https' : (/^([a-z]+):/.exec(String(config.url))?.[1] ?? '')
  const why = "'https' is the only allowed URL scheme; desired format: https://host[/path]"
  return scheme === 'https' ? [] : [invalidValue(`${path}.url`, scheme, why)]
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

export const admissionRuleFaults = (rule: JsonMap, path: string): FieldFault[] =>
  faultsIn(
    ...listAt(rule, 'operations').map((operation, index) =>
      unlisted(`${path}.operations[${index}]`, operation, operations),
    ),
  )
