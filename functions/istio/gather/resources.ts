// Reads the live mesh resources, the cluster facts that their content depends on, and users' EnvoyFilters that select the ingress gateway.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { type Reading, whenRead } from '../../../shared/core/decisions/reading.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, listIfServed, reading } from '../../../shared/kube/reading.ts'
import { resourceName } from '../desired/resource-row.ts'
import { envoyFilterKind, resourceRows, vpaKind } from '../desired/resource-rows.ts'
import { isUsersForIngress } from '../rules/users-resources.ts'
import type { EnvoyFiltersFacts, LeftoversFacts, ResourcesFacts } from '../world.ts'
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

/** Reads mesh resources outside the Istio's namespace. They have no owner, so the garbage collector does not delete them. */
export const readLeftovers = async ({ context, world }: ReaderInput): Promise<LeftoversFacts> => {
  const outside = resourceRows.filter(({ ref }) => ref.namespace !== world.istio.metadata.namespace)
  const read = async (): Promise<KubeObject[]> => {
    const found = await Promise.all(outside.map(({ ref }) => getIfServed(context.reads, ref)))
    return found.filter(object => object !== undefined)
  }
  return { resources: await reading(read()) }
}

export const readEnvoyFilters = async ({ context: { reads } }: ReaderInput): Promise<EnvoyFiltersFacts> => {
  const keep = (filter: KubeObject) => (isUsersForIngress(filter) ? named(filter) : undefined)
  const query = { ...envoyFilterKind, namespace: istioNames.namespaces.mesh, keep }
  return { forIngress: await reading(reads.list(query)) }
}

/** Keeps only the name, because a cluster may have thousands of EnvoyFilters and a message shows one name. */
const named = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
})
