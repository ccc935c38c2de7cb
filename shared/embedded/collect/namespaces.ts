// Deletes the content of a namespace that is being deleted, then its finalizer. Meanwhile, the conditions list the remaining content.
import type { KubeObject } from '../../core/objects/object.ts'
import { namespaceFinalizer } from '../builtin/traits.ts'
import type { Cluster } from '../cluster.ts'
import { conditionsOf, withConditions } from '../conditions.ts'
import type { Kind } from '../kinds/kind.ts'
import { fieldsAt, listAt, sameJson } from '../value.ts'
import { endOrWrite } from '../verbs/internal.ts'
import { removeQuietly } from '../verbs/remove.ts'

export const endNamespaces = (cluster: Cluster): void => {
  const { store, chores } = cluster
  store.onChange(({ collection, stored, type }) => {
    const { namespace, deletionTimestamp, name } = stored.object.metadata
    const ending =
      collection === 'namespaces' ? (deletionTimestamp && type !== 'DELETED' ? name : undefined) : namespace
    if (ending === undefined || !isEnding(cluster, ending)) return
    chores.add(`namespace ${ending}`, () => empty(cluster, ending))
  })
}

const isEnding = ({ store }: Cluster, name: string): boolean =>
  store.get('namespaces', name)?.object.metadata.deletionTimestamp !== undefined

const empty = (cluster: Cluster, name: string): void => {
  if (!isEnding(cluster, name)) return
  for (const { kind, object } of nextToGo(contents(cluster, name)))
    if (!object.metadata.deletionTimestamp) removeQuietly(cluster, kind.collection, object, 'Background')
  const remaining = nextToGo(contents(cluster, name))
  const namespace = cluster.store.get('namespaces', name)?.object
  if (!namespace) return
  // While Pods remain, the conditions list no content.
  if (remaining.length) report(cluster, namespace, remaining[0]?.kind.collection === 'pods' ? [] : remaining)
  else finish(cluster, namespace)
}

type Content = { kind: Kind; object: KubeObject }

/** Pods are deleted first. While Pods remain, no other objects are deleted. */
const nextToGo = (all: Content[]): Content[] => {
  const pods = all.filter(({ kind }) => kind.collection === 'pods')
  return pods.length > 0 ? pods : all
}

const contents = ({ store, registry }: Cluster, namespace: string): Content[] => {
  const seen = new Set<string>()
  return registry.all().flatMap(kind => {
    if (!kind.namespaced || seen.has(kind.collection)) return []
    seen.add(kind.collection)
    return store.objects(kind.collection, `${namespace}/`).map(object => ({ kind, object }))
  })
}

const finish = ({ store }: Cluster, namespace: KubeObject): void => {
  const finalizers = listAt(namespace, 'spec', 'finalizers').filter(each => each !== namespaceFinalizer)
  endOrWrite(store, 'namespaces', namespace.metadata.name, {
    ...namespace,
    spec: finalizers.length ? { finalizers } : {},
  })
}

type Row = [type: string, status: 'True' | 'False', reason: string, message: string]

const report = ({ store }: Cluster, namespace: KubeObject, remaining: Content[]): void => {
  const before = conditionsOf(namespace)
  const wanted = rows(remaining).map(([type, status, reason, message]) => ({ type, status, reason, message }))
  const conditions = withConditions(before, wanted)
  if (sameJson(before, conditions)) return
  store.write('namespaces', namespace.metadata.name, {
    ...namespace,
    status: { ...fieldsAt(namespace, 'status'), phase: 'Terminating', conditions },
  })
}

const rows = (remaining: Content[]): Row[] => {
  const counts = counted(
    remaining.map(({ kind }) => `${kind.plural}.${kind.group}`),
    'has',
  )
  const held = counted(
    remaining.flatMap(({ object }) => object.metadata.finalizers ?? []),
    'in',
  )
  const deletion = (type: string, reason: string, message: string): Row => [
    `NamespaceDeletion${type}Failure`,
    'False',
    reason,
    message,
  ]
  return [
    deletion('Discovery', 'ResourcesDiscovered', 'All resources successfully discovered'),
    deletion('GroupVersionParsing', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    deletion('Content', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    counts
      ? ['NamespaceContentRemaining', 'True', 'SomeResourcesRemain', `Some resources are remaining: ${counts}`]
      : ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed'],
    held
      ? [finalizing, 'True', 'SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${held}`]
      : [finalizing, 'False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
  ]
}

const finalizing = 'NamespaceFinalizersRemaining'

const counted = (names: readonly string[], verb: 'has' | 'in'): string =>
  [...Map.groupBy(names, name => name)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, each]) => `${name} ${verb} ${each.length} resource instances`)
    .join(', ')
