// Secret: its type, stringData, required keys of well-known types.
import type { KubeObject } from '../../core/object.ts'
import { immutable, required } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, put } from '../value.ts'
import { frozenFaults, keyFaults } from './configmaps.ts'
import { orElse } from './draft.ts'
import type { Traits } from './traits.ts'

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
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
  return [...keyFaults(object, 'data'), ...missing.map(key => required(`data[${key}]`)), ...accountFaults(object)]
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
