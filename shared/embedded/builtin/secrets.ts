// Secret: its type, stringData, required keys of well-known types, and that credentials of registries are JSON.
import type { KubeObject } from '../../core/objects/object.ts'
import { immutable, invalidValue, required } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, isMap, put } from '../value.ts'
import { frozenFaults, keyFaults } from './configmaps.ts'
import { orElse } from './draft.ts'
import type { Traits } from './trait.ts'

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

const jsonKeys: Readonly<Record<string, string>> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
}

const defaults = (draft: KubeObject): void => {
  orElse(draft, 'type', 'Opaque')
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

/** Messages never repeat a secret value. */
const jsonFaults = ({ type, data }: KubeObject): FieldFault[] => {
  const key = jsonKeys[String(type)] ?? ''
  const content = fieldsAt({ data }, 'data')?.[key]
  if (typeof content !== 'string') return []
  const why = notAnObject(Buffer.from(content, 'base64').toString())
  return why === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', why)]
}

/** As Go says it; where a text goes wrong later than at its beginning, Go names that place. */
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
  onUpdate: (draft, before) => orElse(draft, 'type', before.type),
}
