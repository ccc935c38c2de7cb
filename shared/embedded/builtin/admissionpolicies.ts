// ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings: their defaults and checks.
import type { Environment } from '@marcbachmann/cel-js'
import type { KubeObject } from '../../core/objects/object.ts'
import {
  type ExpressionUse,
  expressionFaults,
  policyLanguage,
  typeOfVariable,
  type VariableTypes,
} from '../admission/policies/compile.ts'
import { addConstructions } from '../cel/constructions.ts'
import { qualifiedNameFaults, subdomainFaults } from '../names.ts'
import {
  duplicate,
  type FieldFault,
  faultsIn,
  forbiddenField,
  invalidValue,
  required,
  unlisted,
  unsupported,
} from '../status.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt } from '../value.ts'
import { defaultsAt, type Traits } from './trait.ts'
import { admissionRuleFaults, constraintDefaults, matchConditionFaults } from './webhookconfigurations.ts'

const policyDefaults = defaultsAt({ spec: { failurePolicy: 'Fail' }, ...constraintDefaults('spec.matchConstraints') })

const bindingDefaults = defaultsAt(constraintDefaults('spec.matchResources'))

const constraintFaults = (constraints: JsonMap | undefined, path: string, operations?: readonly string[]) => {
  const field = `${path}.resourceRules.operations`
  const allowed = operations ? mapsAt(constraints, 'resourceRules').flatMap(rule => listAt(rule, 'operations')) : []
  return faultsIn(
    constraints && unlisted(`${path}.matchPolicy`, constraints.matchPolicy ?? '', ['Equivalent', 'Exact']),
    ['resourceRules', 'excludeResourceRules'].flatMap(field =>
      mapsAt(constraints, field).flatMap((rule, index) => admissionRuleFaults(rule, `${path}.${field}[${index}]`)),
    ),
    ...allowed.map(operation => unlisted(field, operation, operations ?? [])),
  )
}

/** Mutating policies do not apply to deletions. */
const changing = ['*', 'CONNECT', 'CREATE', 'UPDATE']

const specFaults = (spec: JsonMap, operations?: readonly string[]): FieldFault[] => {
  const constraints = fieldsAt(spec, 'matchConstraints')
  const path = 'spec.matchConstraints'
  return faultsIn(
    unlisted('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore']),
    paramKindFaults(fieldsAt(spec, 'paramKind')),
    constraints ? constraintFaults(constraints, path, operations) : required(path),
    constraints && mapsAt(constraints, 'resourceRules').length === 0 && required(`${path}.resourceRules`),
    matchConditionFaults(spec, 'spec', spec.paramKind !== undefined),
  )
}

const paramKindFaults = (paramKind: JsonMap | undefined): FieldFault[] =>
  ['apiVersion', 'kind']
    .filter(field => paramKind && !paramKind[field])
    .map(field => required(`spec.paramKind.${field}`))

type Compiling = { readonly variables: VariableTypes | undefined; readonly faults: readonly FieldFault[] }

const variablesIn = (spec: JsonMap): Compiling => {
  const variables: Record<string, string> = {}
  const faults: FieldFault[] = []
  for (const [index, variable] of mapsAt(spec, 'variables').entries()) {
    const path = `spec.variables[${index}]`
    const language = languageOf(spec, { ...variables })
    const name = String(variable.name ?? '')
    faults.push(...nameFaults(name, path), ...requiredExpression(variable, path, { language, types: undefined }))
    variables[name] = typeOfVariable(variable, language)
  }
  return { variables: Object.keys(variables).length > 0 ? variables : undefined, faults }
}

const languageOf = (spec: JsonMap, variables: VariableTypes | undefined, hasAuthorizer = true): Environment =>
  policyLanguage({ hasParams: spec.paramKind !== undefined, hasAuthorizer, ...(variables && { variables }) })

const nameFaults = (name: string, path: string): FieldFault[] => {
  if (name.trim() === '') return [required(`${path}.name`, 'name is not specified')]
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? []
    : [invalidValue(`${path}.name`, name, 'must be a valid CEL identifier')]
}

const requiredExpression = (holder: JsonMap, path: string, use: ExpressionUse): FieldFault[] =>
  String(holder.expression ?? '').trim() === ''
    ? [required(`${path}.expression`, 'expression is not specified')]
    : expressionFaults(String(holder.expression), `${path}.expression`, use)

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

type Languages = { readonly language: Environment; readonly messages: Environment }

/** Expressions of messages cannot use `authorizer`. */
const validationFaults = (validation: JsonMap, path: string, { language, messages }: Languages): FieldFault[] => {
  const { messageExpression, message, reason } = validation as Record<string, string | undefined>
  const blank = (field: string, text: string | undefined) =>
    text !== undefined && /^\s+$/.test(text) && invalidValue(field, text, 'must be non-empty if specified')
  const hasLineBreaks = /[\r\n]/.test(message?.trim() ?? '')
  return faultsIn(
    requiredExpression(validation, path, { language, types: ['bool'] }),
    blank(`${path}.messageExpression`, messageExpression),
    messageExpression?.trim()
      ? expressionFaults(messageExpression, `${path}.messageExpression`, { language: messages, types: ['string'] })
      : false,
    blank(`${path}.message`, message),
    hasLineBreaks && invalidValue(`${path}.message`, message, 'must not contain line breaks'),
    reason !== undefined && unlisted(`${path}.reason`, reason, reasons),
  )
}

const annotationFaults = (
  annotation: JsonMap,
  path: string,
  { object, language }: { object: KubeObject; language: Environment },
) => {
  const { key: given = '', valueExpression = '' } = annotation as Record<string, string>
  const key = `${object.metadata.name}/${given}`
  return [
    ...qualifiedNameFaults(key).map(why => invalidValue(`${path}.key`, key, why)),
    ...(valueExpression.trim() === ''
      ? [required(`${path}.valueExpression`, 'valueExpression is not specified')]
      : expressionFaults(valueExpression, `${path}.valueExpression`, { language, types: ['string', 'null'] })),
  ]
}

const validatingFaults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const { variables, faults } = variablesIn(spec)
  const language = languageOf(spec, variables)
  const languages = { language, messages: languageOf(spec, variables, false) }
  const [validations, annotations] = [mapsAt(spec, 'validations'), mapsAt(spec, 'auditAnnotations')]
  const missing = 'validations or auditAnnotations must contain at least one item'
  return [
    ...specFaults(spec),
    ...faults,
    ...(validations.length + annotations.length === 0
      ? ['validations', 'auditAnnotations'].map(field => required(`spec.${field}`, missing))
      : []),
    ...validations.flatMap((each, index) => validationFaults(each, `spec.validations[${index}]`, languages)),
    ...annotations.flatMap((each, index) =>
      annotationFaults(each, `spec.auditAnnotations[${index}]`, { object, language }),
    ),
  ]
}

const mutationTypes: Readonly<Record<string, { readonly field: string; readonly type: string }>> = {
  ApplyConfiguration: { field: 'applyConfiguration', type: 'Object' },
  JSONPatch: { field: 'jsonPatch', type: 'list<JSONPatch>' },
}

const mutationFaults = (mutation: JsonMap, path: string, language: Environment): FieldFault[] => {
  const patchType = String(mutation.patchType ?? '')
  const known = mutationTypes[patchType]
  if (patchType === '') return [required(`${path}.patchType`)]
  if (!known) return [unsupported(`${path}.patchType`, patchType, Object.keys(mutationTypes))]
  const { field, type } = known
  const when = `specified when patchType is ${patchType}`
  const others = Object.values(mutationTypes).filter(other => other.field !== field && mutation[other.field])
  const own = fieldsAt(mutation, field)
  const expression = String(own?.expression ?? '')
  const use = { language, types: [type] }
  return faultsIn(
    others.map(other => invalidValue(`${path}.${other.field}`, `{${other.field}}`, `must not be ${when}`)),
    !own && required(`${path}.${field}`, `must be ${when}`),
    own && expression.trim() === '' && required(`${path}.${field}.expression`),
    expression.trim() !== '' && expressionFaults(expression, `${path}.${field}.expression`, use),
  )
}

const mutatingFaults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const { variables, faults } = variablesIn(spec)
  const language = addConstructions(languageOf(spec, variables))
  const mutations = mapsAt(spec, 'mutations')
  const { reinvocationPolicy: policy } = spec
  return faultsIn(
    specFaults(spec, changing),
    faults,
    mutations.length === 0 && required('spec.mutations', 'mutations must contain at least one item'),
    mutations.flatMap((mutation, index) => mutationFaults(mutation, `spec.mutations[${index}]`, language)),
    policy ? unlisted('spec.reinvocationPolicy', policy, ['IfNeeded', 'Never']) : required('spec.reinvocationPolicy'),
  )
}

const bindingFaults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const name = String(spec.policyName ?? '')
  const operations = object.kind === 'MutatingAdmissionPolicyBinding' ? changing : undefined
  return faultsIn(
    name === ''
      ? required('spec.policyName')
      : subdomainFaults(name).map(why => invalidValue('spec.policyName', name, why)),
    paramRefFaults(fieldsAt(spec, 'paramRef')),
    constraintFaults(fieldsAt(spec, 'matchResources'), 'spec.matchResources', operations),
    !operations && actionFaults(listAt(spec, 'validationActions')),
  )
}

const paramRefFaults = (ref: JsonMap | undefined): FieldFault[] => {
  if (!ref) return []
  const path = 'spec.paramRef'
  const { name, selector, parameterNotFoundAction: action } = ref
  const both = ['name', 'selector'].map(field =>
    forbiddenField(`${path}.${field}`, 'name and selector are mutually exclusive'),
  )
  return faultsIn(
    name && selector ? both : false,
    !name && !selector && required(path, 'one of name or selector must be specified'),
    action
      ? unlisted(`${path}.parameterNotFoundAction`, action, ['Deny', 'Allow'])
      : required(`${path}.parameterNotFoundAction`),
  )
}

const repeats =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

const actionFaults = (actions: readonly unknown[]): FieldFault[] => {
  const path = 'spec.validationActions'
  return faultsIn(
    ...actions.flatMap((action, index) => [
      unlisted(`${path}[${index}]`, action, ['Audit', 'Deny', 'Warn']),
      actions.indexOf(action) < index && duplicate(`${path}[${index}]`, action),
    ]),
    actions.includes('Deny') && actions.includes('Warn') && invalidValue(path, actions, repeats),
    actions.length === 0 && required(path, 'at least one validation action is required'),
  )
}

const both = { generationOf: ['spec'], needsResourceVersion: true } as const

export const validatingPolicyTraits: Traits = { ...both, defaults: policyDefaults, faults: validatingFaults }
export const mutatingPolicyTraits: Traits = { ...both, defaults: policyDefaults, faults: mutatingFaults }
export const policyBindingTraits: Traits = { ...both, defaults: bindingDefaults, faults: bindingFaults }
