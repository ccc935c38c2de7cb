// The kinds that users may name on a command line.
import { ourKinds } from '../../api/our-kinds.ts'
import type { Landscape } from '../../api/serverless.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import { type GroupVersionKind, groupAndKind, type KubeObject } from '../../core/objects/object.ts'
import { watchesOf } from '../../deploy/landscape/events.ts'
import type { Reads } from '../../kube/client-types.ts'
import { listIfServed, reading } from '../../kube/reading.ts'
import { UsageFault } from './command.ts'
import type { ReadingProcess } from './reading-process.ts'

const builtIn: readonly GroupVersionKind[] = [
  ...['Namespace', 'PersistentVolumeClaim', 'Pod', 'Service'].map(kind => ({ apiVersion: 'v1', kind })),
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map(kind => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'batch/v1', kind: 'Job' },
]

/** Whether the word names the kind: in singular or plural, in upper or lower case. */
export const isCalled = ({ kind }: Pick<GroupVersionKind, 'kind'>, word: string): boolean =>
  [kind, `${kind}s`].some(name => name.toLowerCase() === word.toLowerCase())

/** Whether the object is of a kind in `ourKinds`, in any version. */
export const isOfOurKinds = (object: GroupVersionKind): boolean =>
  ourKinds.some(kind => groupAndKind(kind) === groupAndKind(object))

/** All objects of these kinds, in one namespace or in all. Kinds that are not served are skipped. */
export const objectsOfKinds = async (
  local: Reads,
  kinds: readonly GroupVersionKind[],
  namespace?: string,
): Promise<KubeObject[]> => {
  const place = namespace === undefined ? {} : { namespace }
  const lists = await Promise.all(kinds.map(kind => listIfServed(local, { ...kind, ...place })))
  return lists.flatMap(list => list ?? [])
}

/** A kind in our table, otherwise a kind whose definition in the cluster has this kind, plural, singular or short name. */
export const kindServed = async (
  word: string,
  { local, landscape }: Pick<ReadingProcess, 'local' | 'landscape'>,
): Promise<GroupVersionKind> => {
  const known = [...ourKinds, ...builtIn].find(kind => isCalled(kind, word))
  if (known) return known
  const definitions = await reading(local.list(definitionKind))
  const found = 'read' in definitions ? definitions.read.flatMap(({ spec }) => definedAs(word, mapOrEmpty(spec))) : []
  return found[0] ?? kindCalled(word, [...kindsOf(landscape), ...builtIn])
}

/** The kinds whose objects in the local cluster call functions, our kinds first. */
const kindsOf = (landscape: Landscape): readonly GroupVersionKind[] => {
  const called = watchesOf(landscape).flatMap(({ event: { apiVersion, kind, map, cluster } }) =>
    map === 'self' && cluster === undefined ? [{ apiVersion, kind }] : [],
  )
  const isKnown = ({ kind }: GroupVersionKind) => [...ourKinds, ...builtIn].some(other => other.kind === kind)
  return [
    ...ourKinds.filter(({ kind }) => called.some(other => other.kind === kind)),
    ...called.filter((one, at) => !isKnown(one) && called.findIndex(({ kind }) => kind === one.kind) === at),
  ]
}

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }

const definedAs = (word: string, { group, names, versions }: JsonMap): GroupVersionKind[] => {
  const { kind, plural, singular, shortNames = [] } = mapOrEmpty(names)
  const words = [kind, plural, singular, ...(Array.isArray(shortNames) ? shortNames : [])]
  if (!isText(kind) || !words.some(name => isText(name) && name.toLowerCase() === word.toLowerCase())) return []
  const version = mapsIn(versions).find(({ storage }) => storage === true)?.name
  return [{ apiVersion: `${group}/${version}`, kind }]
}

export const kindCalled = (word: string, kinds: readonly GroupVersionKind[]): GroupVersionKind => {
  const found = kinds.find(kind => isCalled(kind, word))
  if (found) return found
  throw new UsageFault(`${word} is not a known kind; expected one of ${kinds.map(({ kind }) => kind).join(', ')}`)
}
