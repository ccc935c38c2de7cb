// Finds the policies that apply to a write, and runs their variables, match conditions and other expressions. Each policy, binding and
// parameter object is one invocation. A webhook or policy applies only if all of its matchConditions are true.
import type { Environment } from '@marcbachmann/cel-js'
import { remembered } from '../../../core/memory/remembered.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { Authorizer, addAuthorizerTypes, withAuthorizer } from '../../cel/authorizer.ts'
import { addConstructions } from '../../cel/constructions.ts'
import { CelError, celLanguage, type Runnable, runnable } from '../../cel/program.ts'
import { celValue } from '../../cel/values.ts'
import type { Kind } from '../../kinds/kind.ts'
import { matchesLabels, structuredSelector } from '../../storage/selectors.ts'
import { fieldsAt, isMap, type JsonMap, mapsAt, put, textAt } from '../../value.ts'
import { type AdmissionParts, type Attributes, asKind, constrainedKind, namespaceOf, requestOf } from '../attributes.ts'

type Bound = { readonly policy: KubeObject; readonly binding: KubeObject }
export type Invocation = Bound & { readonly subject: JudgedWrite }
type Misconfiguration = Partial<Bound> & { readonly policy: KubeObject; readonly fault: string }

export type Fault = { readonly message: string; readonly reason?: string }
export type Denial = Fault & Partial<Bound> & { readonly policy: KubeObject }

export const denialText = ({ policy, binding, message }: Denial): string => {
  const bound = binding ? ` with binding '${binding.metadata.name}'` : ''
  return `'${policy.metadata.name}'${bound} denied request: ${message}`
}

export const ignoresFaults = (policy: KubeObject): boolean => textAt(policy, 'spec', 'failurePolicy') === 'Ignore'

export const misconfigured = ({ fault, ...bound }: Misconfiguration): Denial[] =>
  ignoresFaults(bound.policy)
    ? []
    : [{ ...bound, message: `failed to configure ${bound.binding ? 'binding' : 'policy'}: ${fault}` }]

const group = 'admissionregistration.k8s.io'
/** Policies never apply to policies and bindings. */
const unseen = ['validatingadmissionpolic', 'mutatingadmissionpolic'].flatMap(stem => [
  `${group}/${stem}ies`,
  `${group}/${stem}ybindings`,
])

export const invocationsOf = (
  family: 'validating' | 'mutating',
  attributes: Attributes,
  parts: AdmissionParts,
): (Invocation | Misconfiguration)[] => {
  const bindings = parts.store.objects(`${group}/${family}admissionpolicybindings`)
  if (bindings.length === 0 || unseen.includes(attributes.kind.collection)) return []
  const byPolicy = Map.groupBy(bindings, binding => textAt(binding, 'spec', 'policyName'))
  return [...byPolicy].flatMap(([name, bound]) => {
    const policy = parts.store.get(`${group}/${family}admissionpolicies`, name)?.object
    return policy ? ofPolicy(policy, bound, attributes, parts) : []
  })
}

const ofPolicy = (
  policy: KubeObject,
  bindings: readonly KubeObject[],
  attributes: Attributes,
  parts: AdmissionParts,
): (Invocation | Misconfiguration)[] => {
  const seenAs = constrainedKind(fieldsAt(policy, 'spec', 'matchConstraints') ?? {}, attributes, parts)
  if (!seenAs) return []
  const paramKind = fieldsAt(policy, 'spec', 'paramKind')
  const kind = paramKind && parts.registry.named(textAt(paramKind, 'apiVersion'), textAt(paramKind, 'kind'))
  if (paramKind && !kind) return [{ policy, fault: unknownParamKind(paramKind) }]
  const namespace = attributes.kind.namespaced ? attributes.namespace : ''
  const namespaceObject = parts.store.get('namespaces', namespace)?.object ?? null
  return bindings.flatMap((binding): (Invocation | Misconfiguration)[] => {
    const resources = fieldsAt(binding, 'spec', 'matchResources')
    if (resources && !constrainedKind(resources, attributes, parts)) return []
    const found = paramsFor({ kind, ref: fieldsAt(binding, 'spec', 'paramRef') }, attributes, parts)
    if (typeof found === 'string') return [{ policy, binding, fault: found }]
    return found.map(params => ({ policy, binding, subject: { ...attributes, seenAs, params, namespaceObject } }))
  })
}

const unknownParamKind = ({ apiVersion, kind }: JsonMap): string => {
  const version = String(apiVersion)
  const shown = version.includes('/') ? version : `/${version}`
  return `failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`
}

const paramsFor = (
  { kind, ref }: { kind: Kind | undefined; ref: JsonMap | undefined },
  attributes: Attributes,
  { store }: AdmissionParts,
): (KubeObject | null)[] | string => {
  if (!kind || !ref) return [null]
  const namespace = textAt(ref, 'namespace') || namespaceOf(attributes)
  if (kind.namespaced && !namespace)
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  if (!kind.namespaced && ref.namespace)
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
  const selector = isMap(ref.selector) ? structuredSelector(ref.selector) : undefined
  const prefix = kind.namespaced ? `${namespace}/` : ''
  const keys = ref.name ? [`${prefix}${ref.name}`] : store.now(kind.collection).keys(prefix)
  const found = keys.flatMap(key => {
    const object = store.get(kind.collection, key)?.shown(kind)
    return object && (!selector || matchesLabels(selector, object.metadata.labels)) ? [object] : []
  })
  return found.length === 0 && ref.parameterNotFoundAction === 'Deny'
    ? 'no params found for policy binding with `Deny` parameterNotFoundAction'
    : found
}

export type JudgedWrite = Attributes & {
  readonly seenAs: Kind
  readonly namespaceObject: KubeObject | null
  readonly params: KubeObject | null
}

export type Values = Readonly<Record<string, unknown>>

export const valuesOf = (subject: JudgedWrite, { authorization }: Pick<AdmissionParts, 'authorization'>): Values => {
  const { kind, seenAs, subresource, name, user, params, namespaceObject } = subject
  const asked = { group: kind.group, plural: kind.plural, subresource, namespace: namespaceOf(subject), name }
  return {
    object: celValue(asKind(subject.object, kind, seenAs), undefined),
    oldObject: celValue(asKind(subject.before, kind, seenAs), undefined),
    request: celValue(requestOf(subject, seenAs), undefined),
    namespaceObject: celValue(namespaceObject, undefined),
    params: celValue(params, undefined),
    authorizer: new Authorizer(authorization, user, asked),
    variables: {},
  }
}

let language: Environment | undefined

const variables = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables']

/** Compiles without a check of types, because types were checked when the policy was written. */
const expressionOf = (expression: string): Runnable => {
  language ??= variables.reduce(
    (environment, name) => environment.registerVariable(name, 'dyn'),
    withAuthorizer(addAuthorizerTypes(addConstructions(celLanguage().clone()))),
  )
  return runnable(expression, language)
}

type Variable = { readonly name: string; readonly value: Runnable }

/** Adds the variables of a policy. Each variable is evaluated at its first use. */
export const withVariables = (values: Values, own: readonly Variable[]): Values => {
  const known: Record<string, unknown> = {}
  const all = { ...values, variables: known }
  for (const { name, value } of own)
    Object.defineProperty(known, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const found = variableValue(name, value, all)
        delete known[name]
        put(known, name, found)
        return found
      },
    })
  return all
}

const variableValue = (name: string, value: Runnable, values: Values): unknown => {
  try {
    return value.run(values)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`)
  }
}

export type Expression = Runnable & { readonly text: string }

export const expressionIn = (holder: JsonMap, field = 'expression'): Expression => {
  const text = String(holder[field] ?? '')
  return { text, ...expressionOf(text) }
}

export const matchConditionsOf = remembered((holder: JsonMap): Expression[] =>
  mapsAt(holder, 'matchConditions').map(condition => expressionIn(condition)),
)

export const outcomeOf = ({ text, run }: Expression, values: Values): { value?: unknown; fault?: string } => {
  try {
    return { value: run(values) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return { fault: `expression '${text}' resulted in error: ${error.message}` }
  }
}

type Matched = { readonly isMatched: boolean; readonly fault?: string }

/** If one condition is false, the result is false, even if other conditions fail. If conditions only fail, the failurePolicy decides. */
export const matched = (conditions: readonly Expression[], values: Values, failurePolicy: unknown): Matched => {
  const outcomes = conditions.map(condition => outcomeOf(condition, values))
  if (outcomes.some(({ value }) => value === false)) return { isMatched: false }
  const faults = [...new Set(outcomes.flatMap(({ fault }) => fault ?? []))]
  if (faults.length === 0) return { isMatched: true }
  if (failurePolicy === 'Ignore') return { isMatched: false }
  return { isMatched: false, fault: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }
}

export const variablesOf = remembered((spec: JsonMap): Variable[] =>
  mapsAt(spec, 'variables').map(variable => ({ name: String(variable.name), value: expressionIn(variable) })),
)

type Seen = Matched & { readonly bare: Values; readonly values: Values }

export const seenBy = (spec: JsonMap, subject: JudgedWrite, parts: AdmissionParts): Seen => {
  const bare = valuesOf(subject, parts)
  const values = withVariables(bare, variablesOf(spec))
  return { bare, values, ...matched(matchConditionsOf(spec), { ...values, namespaceObject: null }, spec.failurePolicy) }
}
