// TokenRequest: POST serviceaccounts/NAME/token.
import { kubeTime } from '../../../core/time/kube-time.ts'
import { faultsIn, invalidValue } from '../../faults.ts'
import type { TokenSubject } from '../../identity/tokens.ts'
import { decodeAs } from '../../kinds/decode.ts'
import { badRequest, conflict, gvkText, invalid, notFound } from '../../status.ts'
import { nowText } from '../../time.ts'
import { fieldsAt, type JsonMap, listAt, mapOrEmpty, textAt } from '../../value.ts'
import { parseJson } from '../body.ts'
import { type Call, existing, type Reply } from '../call.ts'

const shortestSeconds = 600
const longestSeconds = 2 ** 32
const defaultSeconds = 3600

export const token = async (call: Call): Promise<Reply> => {
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
