// certificatesigningrequests/NAME/approval: conditions only.
import { mergePatched } from '../../../core/json/merge-patch.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { storageKey } from '../../kinds/kind.ts'
import { methodNotAllowed, modified, notFound } from '../../status.ts'
import { fieldsAt } from '../../value.ts'
import { asTyped, objectOf, parseJson } from '../body.ts'
import type { Call, Reply } from '../call.ts'
import { writeOptions } from '../options.ts'

export const approval = (call: Call, method: string): Reply => {
  const { cluster, kind, name } = call
  const key = storageKey(kind, '', name)
  const current = cluster.store.get(kind.collection, key)
  if (!current) throw notFound(kind, name)
  if (method === 'GET') return { is: 'stored', code: 200, kind, stored: current }
  const { fieldValidation } = writeOptions(call, method === 'PUT' ? 'UpdateOptions' : 'PatchOptions')
  const wanted = method === 'PUT' ? objectOf(call, kind, fieldValidation) : patched(call, method, current.object)
  const { resourceVersion } = wanted.metadata
  if (resourceVersion && resourceVersion !== current.object.metadata.resourceVersion) throw modified(kind, name)
  const status = { ...fieldsAt(current.object, 'status'), conditions: fieldsAt(wanted, 'status')?.conditions }
  return {
    is: 'stored',
    code: 200,
    kind,
    stored: cluster.store.write(kind.collection, key, { ...current.object, status }),
  }
}

const patched = (call: Call, method: string, before: KubeObject): KubeObject => {
  if (method !== 'PATCH') throw methodNotAllowed()
  return asTyped(call, call.kind, mergePatched(before, parseJson(call.body, call.kind)) as Record<string, unknown>, {
    validation: 'Ignore',
    problems: [],
  })
}
