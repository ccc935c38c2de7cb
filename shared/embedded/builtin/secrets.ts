// Secret and ConfigMap: keys and the immutable flag. For Secrets also the type, stringData, the required keys of known types, and that credentials of
// registries are JSON.
import type { KubeObject } from '../../core/objects/object.ts'
import { type FieldFault, forbiddenField, immutable, invalidValue, required } from '../status.ts'
import { fieldsAt, isMap, put, sameJson } from '../value.ts'
import { fill, type Traits } from './trait.ts'

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

/** The value of the needed key is JSON. */
const jsonTypes = ['kubernetes.io/dockercfg', 'kubernetes.io/dockerconfigjson']

const defaults = (draft: KubeObject): void => {
  fill(draft, { type: 'Opaque' })
  const texts = fieldsAt(draft, 'stringData')
  if (!texts) return
  const data = { ...fieldsAt(draft, 'data') }
  for (const [key, text] of Object.entries(texts)) put(data, key, Buffer.from(String(text)).toString('base64'))
  draft.data = data
  delete draft.stringData
}

const faults = (object: KubeObject): FieldFault[] => {
  const data = fieldsAt(object, 'data') ?? {}
  const missing = (neededKeys[String(object.type)] ?? []).filter(key => !Object.hasOwn(data, key))
  return [
    ...keyFaults(object, 'data'),
    ...missing.map(key => required(`data[${key}]`)),
    ...jsonFaults(object),
    ...accountFaults(object),
  ]
}

/** Faults of values that must be JSON. Messages do not quote secret values. */
const jsonFaults = ({ type, data }: KubeObject): FieldFault[] => {
  const [key = ''] = jsonTypes.includes(String(type)) ? (neededKeys[String(type)] ?? []) : []
  const content = fieldsAt({ data }, 'data')?.[key]
  if (typeof content !== 'string') return []
  const why = notAnObject(Buffer.from(content, 'base64').toString())
  return why === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', why)]
}

/** Go's message for a text with a wrong beginning. For a later fault, Go names the position, but this message does not. */
const notAnObject = (text: string): string | undefined => {
  const start = text.trimStart()[0]
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || isMap(value)) return undefined
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`
  } catch {
    return start === undefined || start === '{' || start === '['
      ? 'unexpected end of JSON input'
      : `invalid character '${start}' looking for beginning of value`
  }
}

const accountFaults = (object: KubeObject): FieldFault[] => {
  const isToken = object.type === 'kubernetes.io/service-account-token'
  const account = object.metadata.annotations?.['kubernetes.io/service-account.name']
  return isToken && !account ? [required('metadata.annotations[kubernetes.io/service-account.name]')] : []
}

const updateFaults = (object: KubeObject, before: KubeObject): FieldFault[] => [
  ...(object.type === before.type ? [] : [immutable('type', object.type)]),
  ...frozenFaults(object, before, ['data']),
]

export const secretTraits: Traits = {
  defaults,
  faults,
  updateFaults,
  onUpdate: (draft, before) => fill(draft, { type: before.type }),
}

const keyPattern = /^[-._a-zA-Z0-9]+$/
const keyFault =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const keyFaults = (object: KubeObject, field: string): FieldFault[] =>
  Object.keys(fieldsAt(object, field) ?? {}).flatMap(key =>
    keyFaultsOf(key).map(why => invalidValue(`${field}[${key}]`, key, why)),
  )

const keyFaultsOf = (key: string): string[] => {
  if (!keyPattern.test(key)) return [keyFault]
  if (key === '.' || key === '..') return [`must not be '${key}'`]
  return key.startsWith('..') ? ["must not start with '..'"] : []
}

export const configMapFaults = (object: KubeObject): FieldFault[] => {
  const data = fieldsAt(object, 'data') ?? {}
  const twice = Object.keys(fieldsAt(object, 'binaryData') ?? {}).filter(key => Object.hasOwn(data, key))
  return [
    ...keyFaults(object, 'data'),
    ...twice.map(key => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyFaults(object, 'binaryData'),
  ]
}

const frozen = 'field is immutable when `immutable` is set'

export const configMapUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  frozenFaults(object, before, ['data', 'binaryData'])

/** Faults of an update that changes an immutable ConfigMap or Secret. */
const frozenFaults = (object: KubeObject, before: KubeObject, fields: readonly string[]): FieldFault[] => {
  if (before.immutable !== true) return []
  const changed = fields.filter(field => !sameJson(object[field], before[field]))
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', frozen)]),
    ...changed.map(field => forbiddenField(field, frozen)),
  ]
}
