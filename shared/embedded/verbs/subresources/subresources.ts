// Subresources other than status. Each subresource has a small verb of its own.
import { mergePatched } from '../../../core/json/merge-patch.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { storageKey } from '../../kinds/kind.ts'
import { conflict, methodNotAllowed, modified, StatusError } from '../../status.ts'
import { matchesLabels, structuredSelector } from '../../storage/selectors.ts'
import { nowText } from '../../time.ts'
import { fieldsAt, isMap, listAt, textAt } from '../../value.ts'
import { asTyped, objectOf, parseJson } from '../body.ts'
import { type Call, existing, type Reply } from '../call.ts'
import { writeOptions } from '../options.ts'
import { remove } from '../remove.ts'
import { scale } from './scale.ts'
import { token } from './token.ts'

export const binding = async (call: Call): Promise<Reply> => {
  const { cluster, kind, namespace, name } = call
  const node = textAt(parseJson(call.body, kind), 'target', 'name')
  const pod = existing(call).object
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
  cluster.store.write(kind.collection, storageKey(kind, namespace, name), {
    ...pod,
    spec: { ...spec, nodeName: node },
    status: { ...fieldsAt(pod, 'status'), conditions },
  })
  return created
}

const created: Reply = {
  is: 'object',
  code: 201,
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
}

/** POST pods/NAME/eviction: a deletion that a PodDisruptionBudget can refuse. */
const eviction = async (call: Call): Promise<Reply> => {
  const { cluster, namespace } = call
  const pod = existing(call).object
  const budgets = cluster.store.now('policy/poddisruptionbudgets')
  for (const key of budgets.keys(`${namespace}/`)) {
    const budget = budgets.get(key)?.object
    const selector = structuredSelector(fieldsAt(budget, 'spec', 'selector'))
    const isFor = selector !== undefined && matchesLabels(selector, pod.metadata.labels)
    if (budget && isFor && Number(fieldsAt(budget, 'status')?.disruptionsAllowed ?? 0) < 1)
      throw refused(budget.metadata.name)
  }
  const body = parseJson(call.body || '{}', call.kind)
  const options = isMap(body) ? (fieldsAt(body, 'deleteOptions') ?? {}) : {}
  await remove({ ...call, subresource: '', body: JSON.stringify(options) })
  return created
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

/** certificatesigningrequests/NAME/approval: changes conditions only. */
const approval = (call: Call, method: string): Reply => {
  const { cluster, kind, name } = call
  const current = existing(call)
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
    stored: cluster.store.write(kind.collection, name, { ...current.object, status }),
  }
}

const patched = (call: Call, method: string, before: KubeObject): KubeObject => {
  if (method !== 'PATCH') throw methodNotAllowed()
  return asTyped(call, call.kind, mergePatched(before, parseJson(call.body, call.kind)) as Record<string, unknown>, {
    validation: 'Ignore',
    problems: [],
  })
}

/** PUT namespaces/NAME/finalize: the only way to change spec.finalizers. */
const finalize = async (call: Call): Promise<Reply> => {
  const { cluster, kind, name } = call
  const { fieldValidation } = writeOptions(call, 'UpdateOptions')
  const wanted = objectOf(call, kind, fieldValidation)
  const before = existing(call).object
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

type Subresource = (call: Call, method: string) => Promise<Reply> | Reply

const only =
  (method: string, run: (call: Call) => Promise<Reply>): Subresource =>
  (call, given) => {
    if (given !== method) throw methodNotAllowed()
    return run(call)
  }

/** The error for subresources of containers, because no container runs here. */
const notRun: Subresource = call => {
  const { kind, name, subresource } = call
  existing(call)
  const what = `${kind.plural} ${JSON.stringify(name)}: ${subresource.split('/')[0]} is not available`
  const why = 'the embedded cluster runs no containers, it only sets the status of Pods'
  throw new StatusError(501, 'NotImplemented', `${what}: ${why}. Use a real cluster for this request.`, {})
}

export const subresources: Readonly<Record<string, Subresource>> = {
  scale,
  finalize: only('PUT', finalize),
  token: only('POST', token),
  binding: only('POST', binding),
  eviction: only('POST', eviction),
  approval,
  log: notRun,
  exec: notRun,
  attach: notRun,
  portforward: notRun,
  proxy: notRun,
}
