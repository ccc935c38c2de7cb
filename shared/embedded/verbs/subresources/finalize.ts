// PUT namespaces/NAME/finalize: the only way to change spec.finalizers.
import { modified, notFound } from '../../status.ts'
import { fieldsAt, listAt } from '../../value.ts'
import { objectOf } from '../body.ts'
import type { Call, Reply } from '../call.ts'
import { writeOptions } from '../options.ts'

export const finalize = async (call: Call): Promise<Reply> => {
  const { cluster, kind, name } = call
  const { fieldValidation } = writeOptions(call, 'UpdateOptions')
  const wanted = objectOf(call, kind, fieldValidation)
  const current = cluster.store.get(kind.collection, name)
  if (!current) throw notFound(kind, name)
  const before = current.object
  const { resourceVersion } = wanted.metadata
  if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) throw modified(kind, name)
  const finalizers = listAt(wanted, 'spec', 'finalizers')
  const next = { ...before, spec: { ...fieldsAt(before, 'spec'), finalizers } }
  if (finalizers.length === 0) next.spec = {} as typeof next.spec
  const isGone = before.metadata.deletionTimestamp && finalizers.length === 0 && !before.metadata.finalizers?.length
  if (!isGone) return { is: 'stored', code: 200, kind, stored: cluster.store.write(kind.collection, name, next) }
  cluster.store.remove(kind.collection, name, next)
  return { is: 'object', code: 200, kind, object: next }
}
