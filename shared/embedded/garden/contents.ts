// Reads the objects in the Secrets of a ManagedResource and sorts them in an order in which they can be applied. Adds the
// labels of the ManagedResource and an annotation with their origin.
import { sha256Hex } from '../../core/digest.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { readYaml } from '../../core/yaml/read.ts'
import { canonicalJson, fieldsAt, isMap, type JsonMap, listAt, mapOrEmpty, textAt } from '../value.ts'
import type { Known } from './stand-in.ts'

export const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const

export type Contents = {
  readonly is: 'contents'
  readonly objects: readonly KubeObject[]
  readonly refs: readonly ObjectRef[]
  readonly digest: string
}

type Missing = { readonly is: 'missing'; readonly secret: string }

export const contentsOf = (managed: KubeObject, known: Known): Contents | Missing => {
  const namespace = managed.metadata.namespace ?? ''
  const names = listAt(managed, 'spec', 'secretRefs').map(ref => textAt(ref, 'name'))
  const secrets = names.map(name => known.find({ ...secretKind, namespace, name }))
  const missing = names.find((_, index) => secrets[index] === undefined)
  if (missing !== undefined) return { is: 'missing', secret: missing }
  const labels = fieldsAt(managed, 'spec', 'injectLabels') ?? {}
  const objects = secrets
    .flatMap(secret => (secret ? objectsIn(secret) : []))
    .map(object => labelled(object, labels))
    .map(object => ownedBy(managed, object))
    .sort(byRank)
  const digest = sha256Hex(canonicalJson([secrets.map(secret => (secret ? dataDigest(secret) : '')), labels]))
  return { is: 'contents', objects, refs: objects.map(refOf), digest }
}

const dataDigest = remembered((secret: KubeObject): string => sha256Hex(canonicalJson(mapOrEmpty(secret.data))))

/** Leaves out APIServices, because no server would serve them. */
const objectsIn = remembered((secret: KubeObject): readonly KubeObject[] =>
  Object.entries(mapOrEmpty(secret.data))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, value]) => readYaml(Buffer.from(String(value), 'base64').toString('utf8')))
    .filter(isMap)
    .filter(({ kind }) => kind !== 'APIService')
    .map(object => object as KubeObject),
)

const labelled = (object: KubeObject, labels: JsonMap): KubeObject => {
  const all = { ...object.metadata.labels, ...(labels as Record<string, string>) }
  return Object.keys(all).length > 0 ? { ...object, metadata: { ...object.metadata, labels: all } } : object
}

const ownedBy = ({ metadata: { namespace, name } }: KubeObject, object: KubeObject): KubeObject => {
  const annotations = { ...object.metadata.annotations, 'resources.gardener.cloud/origin': `${namespace}/${name}` }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

const first = ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'ServiceAccount']
const last = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

const byRank = (left: KubeObject, right: KubeObject): number => rankOf(left) - rankOf(right)

const rankOf = ({ kind }: KubeObject): number => {
  if (last.includes(kind)) return first.length + 1
  return first.includes(kind) ? first.indexOf(kind) : first.length
}
