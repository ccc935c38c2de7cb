// Checks that the expressions of policies and match conditions compile and have an allowed type.
import type { Environment } from '@marcbachmann/cel-js'
import { addAuthorizerTypes, withAuthorizer } from '../../cel/authorizer.ts'
import { compiled, goType } from '../../cel/compile.ts'
import { celLanguage } from '../../cel/program.ts'
import { type FieldFault, invalidValue } from '../../status.ts'
import type { JsonMap } from '../../value.ts'

const texts = 'list<string>'
const labels = 'map<string, string>'
const time = 'google.protobuf.Timestamp'

const types: readonly (readonly [name: string, fields: Readonly<Record<string, string>>])[] = [
  ['kubernetes.GroupVersionKind', { group: 'string', version: 'string', kind: 'string' }],
  ['kubernetes.GroupVersionResource', { group: 'string', version: 'string', resource: 'string' }],
  ['kubernetes.UserInfo', { username: 'string', uid: 'string', groups: texts, extra: `map<string, ${texts}>` }],
  [
    'kubernetes.AdmissionRequest',
    {
      kind: 'kubernetes.GroupVersionKind',
      resource: 'kubernetes.GroupVersionResource',
      subResource: 'string',
      requestKind: 'kubernetes.GroupVersionKind',
      requestResource: 'kubernetes.GroupVersionResource',
      requestSubResource: 'string',
      name: 'string',
      namespace: 'string',
      operation: 'string',
      userInfo: 'kubernetes.UserInfo',
      dryRun: 'bool',
      options: 'dyn',
    },
  ],
  ['kubernetes.NamespaceSpec', { finalizers: texts }],
  [
    'kubernetes.NamespaceCondition',
    { status: 'string', type: 'string', lastTransitionTime: time, message: 'string', reason: 'string' },
  ],
  ['kubernetes.NamespaceStatus', { conditions: 'list<kubernetes.NamespaceCondition>', phase: 'string' }],
  [
    'kubernetes.NamespaceMetadata',
    {
      name: 'string',
      generateName: 'string',
      namespace: 'string',
      labels,
      annotations: labels,
      UID: 'string',
      creationTimestamp: time,
      deletionGracePeriodSeconds: 'int',
      deletionTimestamp: time,
      generation: 'int',
      resourceVersion: 'string',
      finalizers: texts,
    },
  ],
  [
    'kubernetes.Namespace',
    {
      metadata: 'kubernetes.NamespaceMetadata',
      spec: 'kubernetes.NamespaceSpec',
      status: 'kubernetes.NamespaceStatus',
    },
  ],
]

let basis: Environment | undefined

const typed = (): Environment => {
  basis ??= types
    .reduce(
      (language, [name, fields]) => language.registerType(name, { fields }),
      addAuthorizerTypes(celLanguage().clone()),
    )
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'kubernetes.AdmissionRequest')
    .registerVariable('namespaceObject', 'kubernetes.Namespace')
  return basis
}

type Known = { readonly hasParams: boolean; readonly hasAuthorizer: boolean; readonly variables?: VariableTypes }

export type VariableTypes = Readonly<Record<string, string>>

export const policyLanguage = ({ hasParams, hasAuthorizer, variables }: Known): Environment => {
  const language = typed().clone()
  if (hasParams) language.registerVariable('params', 'dyn')
  if (hasAuthorizer) withAuthorizer(language)
  return variables
    ? language
        .registerType('kubernetes.variables', { fields: variables })
        .registerVariable('variables', 'kubernetes.variables')
    : language
}

/** The language and the allowed types of an expression. undefined allows any type. */
export type ExpressionUse = { readonly language: Environment; readonly types: readonly string[] | undefined }

export const expressionFaults = (
  expression: string,
  path: string,
  { language, types }: ExpressionUse,
): FieldFault[] => {
  const { fault, type = 'dyn' } = compiled(expression, language)
  if (fault !== undefined) return [invalidValue(path, expression, `compilation failed: ${fault}`)]
  if (!types || types.includes(type)) return []
  const wanted = types.map(each => (each === 'null' ? 'null_type' : goType(each)))
  const list = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`
  return [invalidValue(path, expression, `must evaluate to ${list} but got ${goType(type)}`)]
}

export const typeOfVariable = (variable: JsonMap, language: Environment): string =>
  compiled(String(variable.expression ?? ''), language).type ?? 'dyn'
