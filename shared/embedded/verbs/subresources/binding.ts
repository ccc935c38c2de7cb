// POST pods/NAME/binding: a scheduler puts a Pod on a node.
import { storageKey } from '../../kinds/kind.ts'
import { conflict, notFound } from '../../status.ts'
import { nowText } from '../../time.ts'
import { fieldsAt, listAt, textAt } from '../../value.ts'
import { parseJson } from '../body.ts'
import type { Call, Reply } from '../call.ts'

export const binding = async (call: Call): Promise<Reply> => {
  const { cluster, kind, namespace, name } = call
  const node = textAt(parseJson(call.body, kind), 'target', 'name')
  const key = storageKey(kind, namespace, name)
  const pod = cluster.store.get(kind.collection, key)?.object
  if (!pod) throw notFound(kind, name)
  const spec = fieldsAt(pod, 'spec') ?? {}
  if (spec.nodeName)
    throw conflict(
      { group: '', plural: 'pods/binding', kind: 'Binding' },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`,
    )
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: nowText() }
  const conditions = [
    ...listAt(pod, 'status', 'conditions').filter(each => textAt(each, 'type') !== 'PodScheduled'),
    scheduled,
  ]
  cluster.store.write(kind.collection, key, {
    ...pod,
    spec: { ...spec, nodeName: node },
    status: { ...fieldsAt(pod, 'status'), conditions },
  })
  return {
    is: 'object',
    code: 201,
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}
