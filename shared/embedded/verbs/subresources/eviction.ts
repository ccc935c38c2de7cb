// POST pods/NAME/eviction: a delete that a PodDisruptionBudget may put off.
import { storageKey } from '../../kinds/kind.ts'
import { notFound, StatusError } from '../../status.ts'
import { matchesLabels, structuredSelector } from '../../storage/label-selector.ts'
import { fieldsAt, isMap } from '../../value.ts'
import { parseJson } from '../body.ts'
import type { Call, Reply } from '../call.ts'
import { remove } from '../remove.ts'

export const eviction = async (call: Call): Promise<Reply> => {
  const { cluster, kind, namespace, name } = call
  const pod = cluster.store.get(kind.collection, storageKey(kind, namespace, name))?.object
  if (!pod) throw notFound(kind, name)
  const budgets = cluster.store.now('policy/poddisruptionbudgets')
  for (const key of budgets.keys(`${namespace}/`)) {
    const budget = budgets.get(key)?.object
    const selector = structuredSelector(fieldsAt(budget, 'spec', 'selector'))
    const isFor = selector !== undefined && matchesLabels(selector, pod.metadata.labels)
    if (budget && isFor && Number(fieldsAt(budget, 'status')?.disruptionsAllowed ?? 0) < 1)
      throw refused(budget.metadata.name)
  }
  const body = parseJson(call.body || '{}', kind)
  const options = isMap(body) ? (fieldsAt(body, 'deleteOptions') ?? {}) : {}
  await remove({ ...call, subresource: '', body: JSON.stringify(options) })
  return {
    is: 'object',
    code: 201,
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}

const refused = (budget: string): StatusError =>
  new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${budget} needs more healthy pods than it has now`,
      },
    ],
  })
