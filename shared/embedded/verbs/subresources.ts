// Subresources other than status. Each subresource has a small verb of its own.
import { mergePatched } from '../../core/json/merge-patch.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { TokenSubject } from '../identity/tokens.ts'
import { decodeAs } from '../kinds/decode.ts'
import { storageKey } from '../kinds/kind.ts'
import {
  badRequest,
  conflict,
  faultsIn,
  gvkText,
  invalid,
  invalidValue,
  methodNotAllowed,
  modified,
  notFound,
  StatusError,
} from '../status.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import { nowText } from '../time.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapOrEmpty, textAt } from '../value.ts'
import { asTyped, objectOf, parseJson } from './body.ts'
import { type Call, existing, type Reply, writeOptions } from './call.ts'
import { remove } from './remove.ts'
import { scale } from './scale.ts'

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
  for (const budget of cluster.store.objects('policy/poddisruptionbudgets', `${namespace}/`)) {
    const selector = structuredSelector(fieldsAt(budget, 'spec', 'selector'))
    const isFor = selector !== undefined && matchesLabels(selector, pod.metadata.labels)
    if (isFor && Number(fieldsAt(budget, 'status')?.disruptionsAllowed ?? 0) < 1) throw refused(budget.metadata.name)
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

const shortestSeconds = 600
const longestSeconds = 2 ** 32
const defaultSeconds = 3600

const token = async (call: Call): Promise<Reply> => {
  const { cluster, kind, namespace, name } = call
  const account = existing(call).object
  const body = parseJson(call.body || '{}', kind)
  const request = decodeAs('io.k8s.api.authentication.v1.TokenRequest', mapOrEmpty(body), [])
  refuseMisnamed(call, request)
  const seconds = secondsOf(request)
  const audiences = listAt(request, 'spec', 'audiences').map(String)
  const bound = boundTo(call, request)
  const granted = audiences.length ? audiences : [cluster.tokens.issuer]
  const issued = cluster.tokens.issue({ namespace, name, uid: account.metadata.uid ?? '', bound }, granted, seconds)
  const object = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: nowText() },
    spec: {
      ...fieldsAt(request, 'spec'),
      audiences: granted,
      expirationSeconds: seconds,
      boundObjectRef: fieldsAt(request, 'spec', 'boundObjectRef') ?? null,
    },
    status: { token: issued.token, expirationTimestamp: kubeTime(issued.expires) },
  }
  return { is: 'object', code: 201, object }
}

const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }

const refuseMisnamed = ({ cluster, name }: Call, request: JsonMap): void => {
  const apiVersion = textAt(request, 'apiVersion') || type.apiVersion
  const kind = textAt(request, 'kind') || type.kind
  const version = apiVersion.split('/').at(-1) ?? ''
  if (apiVersion !== type.apiVersion || kind !== type.kind) {
    const why = cluster.registry.named(apiVersion, kind)
      ? `converting (${version}.${kind}) to (authentication.TokenRequest): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a TokenRequest: ${why}`)
  }
  const given = textAt(request, 'metadata', 'name')
  if (given && given !== name)
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [
      invalidValue('metadata.name', given, 'must match the service account name if specified'),
    ])
}

const secondsOf = (request: JsonMap): number => {
  const seconds = Number(fieldsAt(request, 'spec')?.expirationSeconds ?? defaultSeconds)
  const path = 'spec.expirationSeconds'
  const faults = faultsIn(
    seconds < shortestSeconds && invalidValue(path, seconds, 'may not specify a duration less than 10 minutes'),
    seconds > longestSeconds && invalidValue(path, seconds, 'may not specify a duration larger than 2^32 seconds'),
  )
  if (faults.length) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', faults)
  return seconds
}

const boundKinds = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const

const boundTo = ({ cluster, namespace, name }: Call, request: JsonMap): TokenSubject['bound'] => {
  const reference = fieldsAt(request, 'spec', 'boundObjectRef')
  if (!reference) return undefined
  const kind = textAt(reference, 'kind') as keyof typeof boundKinds
  const collection = boundKinds[kind]
  const target = textAt(reference, 'name')
  if (!collection)
    throw badRequest(
      `cannot bind token to object of type ${gvkText({ apiVersion: textAt(reference, 'apiVersion'), kind })}`,
    )
  const found = cluster.store.get(collection, kind === 'Node' ? target : `${namespace}/${target}`)?.object
  const named = { group: '', plural: collection, kind }
  if (!found) throw notFound(named, target)
  const uid = found.metadata.uid ?? ''
  const asked = textAt(reference, 'uid')
  if (asked && asked !== uid)
    throw conflict(
      { ...named, plural: kind },
      target,
      `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  if (kind === 'Pod' && textAt(found, 'spec', 'serviceAccountName') !== name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
    )
  return { kind, name: target, uid }
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
