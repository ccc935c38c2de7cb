// Reads the live mesh resources, and the cluster facts that their content depends on.
import { type Reading, whenRead } from '../../../shared/core/decisions/reading.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, listIfServed, reading } from '../../../shared/kube/reading.ts'
import { resourceName } from '../desired/resources/resource-row.ts'
import { resourceRows } from '../desired/resources/resource-rows.ts'
import { vpaKind } from '../desired/resources/vertical-pod-autoscalers.ts'
import type { ResourcesFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

/** Reads resources of one kind and namespace together. Reads the API server's port only if NetworkPolicies are wanted. */
export const readResources = async (input: ReaderInput, rows = resourceRows): Promise<ResourcesFacts> => {
  const { context, world } = input
  const { reads, clusters } = context
  const isVpaServed = (await (await clusters.of('local')).scopeOf(vpaKind)) !== 'unserved'
  const refs = rows.map(({ ref }) => ref).filter(({ kind }) => kind !== vpaKind.kind || isVpaServed)
  const groups = [...Map.groupBy(refs, ({ kind, namespace }) => `${kind} ${namespace}`).values()]
  const [apiPort, ...live] = await Promise.all([
    world.istio.spec.networkPoliciesEnabled === true ? readApiPort(reads) : usualApiPort,
    ...groups.map(group => readGroup(reads, group)),
  ])
  return { rows, isVpaServed, apiPort, live: new Map(live.flat()) }
}

type Read = readonly (readonly [name: string, object: Reading<KubeObject | undefined>])[]

/**
 * Groups of at least this size are read as one list. For smaller groups, single reads are cheaper, because a list may contain many other
 * objects.
 */
const fewestListed = 4

/** `refs` have the same kind and namespace. */
const readGroup = async (reads: Reads, refs: readonly ObjectRef[]): Promise<Read> => {
  const [first] = refs
  if (!first || refs.length < fewestListed)
    return Promise.all(refs.map(async ref => [resourceName(ref), await reading(getIfServed(reads, ref))] as const))
  const { apiVersion, kind, namespace } = first
  const isAsked = ({ metadata }: KubeObject) => refs.some(({ name }) => name === metadata.name)
  const keep = (object: KubeObject) => (isAsked(object) ? object : undefined)
  const found = await reading(listIfServed(reads, { apiVersion, kind, namespace, keep }))
  const named = (name: string) => ('failed' in found ? found : { read: objectNamed(found.read ?? [], name) })
  return refs.map(ref => [resourceName(ref), named(ref.name)])
}

const objectNamed = (objects: readonly KubeObject[], name: string): KubeObject | undefined =>
  objects.find(({ metadata }) => metadata.name === name)

const apiService = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'kubernetes' }
const usualApiPort = 443

/** The target port of Service default/kubernetes, because NetworkPolicies apply to ports of Pods and hosts, not of Services. */
const readApiPort = async (reads: Pick<Reads, 'get'>): Promise<number> =>
  whenRead(await reading(reads.get(apiService)), targetPort, () => undefined) ?? usualApiPort

const targetPort = (service: KubeObject | undefined): number | undefined => {
  const port = mapsIn(mapOrEmpty(service?.spec).ports).find(({ name }) => name === 'https')?.targetPort
  return typeof port === 'number' ? port : undefined
}
