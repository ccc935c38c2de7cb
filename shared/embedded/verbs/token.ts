// TokenRequest: POST serviceaccounts/NAME/token.

import { invalidValue } from '../faults.ts'
import type { TokenSubject } from '../identity/tokens.ts'
import { decodeAs } from '../kinds/decode.ts'
import { storageKey } from '../kinds/kind.ts'
import { conflict, invalid, notFound } from '../status.ts'
import { type Fields, fieldsAt, isFields, listAt, textAt } from '../value.ts'
import { parseJson } from './body.ts'
import type { Call, Reply } from './call.ts'

const shortestSeconds = 600
const longestSeconds = 2 ** 32
const defaultSeconds = 3600

export const token = async (call: Call): Promise<Reply> => {
  const { cluster, kind, namespace, name } = call
  const account = cluster.store.get(kind.collection, storageKey(kind, namespace, name))?.object
  if (!account) throw notFound(kind, name)
  const body = parseJson(call.body || '{}', kind)
  const request = decodeAs('io.k8s.api.authentication.v1.TokenRequest', isFields(body) ? body : {}, [])
  const seconds = secondsOf(request)
  const audiences = listAt(request, 'spec', 'audiences').map(String)
  const bound = boundTo(call, request)
  const granted = audiences.length ? audiences : [cluster.tokens.issuer]
  const issued = cluster.tokens.issue({ namespace, name, uid: account.metadata.uid ?? '', bound }, granted, seconds)
  const object = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: new Date().toISOString().replace(/\.\d+Z/, 'Z') },
    spec: {
      ...fieldsAt(request, 'spec'),
      audiences: granted,
      expirationSeconds: seconds,
      boundObjectRef: fieldsAt(request, 'spec', 'boundObjectRef') ?? null,
    },
    status: { token: issued.token, expirationTimestamp: issued.expires.toISOString().replace(/\.\d+Z/, 'Z') },
  }
  return { is: 'object', code: 201, object }
}

const secondsOf = (request: Fields): number => {
  const seconds = Number(fieldsAt(request, 'spec')?.expirationSeconds ?? defaultSeconds)
  const faults = [
    ...(seconds < shortestSeconds
      ? [invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > longestSeconds
      ? [invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
  ]
  if (faults.length) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', faults)
  return seconds
}

const boundKinds = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const

const boundTo = ({ cluster, namespace, name }: Call, request: Fields): TokenSubject['bound'] => {
  const reference = fieldsAt(request, 'spec', 'boundObjectRef')
  if (!reference) return undefined
  const kind = textAt(reference, 'kind') as keyof typeof boundKinds
  const collection = boundKinds[kind]
  const target = textAt(reference, 'name')
  if (!collection)
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      invalidValue('spec.boundObjectRef', kind, 'cannot bind token for serviceaccount to object of this type'),
    ])
  const found = cluster.store.get(collection, kind === 'Node' ? target : `${namespace}/${target}`)?.object
  const named = { group: '', plural: collection, kind }
  if (!found) throw notFound(named, target)
  const uid = found.metadata.uid ?? ''
  const asked = textAt(reference, 'uid')
  if (asked && asked !== uid)
    throw conflict(
      named,
      target,
      `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  if (kind === 'Pod' && textAt(found, 'spec', 'serviceAccountName') !== name)
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      invalidValue(
        'spec.boundObjectRef',
        target,
        'cannot bind token for serviceaccount to pod running with different serviceaccount name',
      ),
    ])
  return { kind, name: target, uid }
}
