// Serves stored CustomResourceDefinitions: accepts their names, serves their kinds, and deletes their objects with them.
import type { KubeObject } from '../../core/objects/object.ts'
import { customResourceCleanup } from '../builtin/customresourcedefinitions.ts'
import type { Cluster } from '../cluster.ts'
import { type Condition, conditionsOf, withConditions } from '../conditions.ts'
import type { Change } from '../storage/store.ts'
import { fieldsAt, type JsonMap, listAt, sameJson, textAt } from '../value.ts'
import { removeFinalizer, writeAs } from '../verbs/internal.ts'
import { removeQuietly } from '../verbs/remove.ts'
import { kindsOf } from './kinds.ts'

const collection = 'apiextensions.k8s.io/customresourcedefinitions'

export const serveDefinitions = (cluster: Cluster): void => {
  cluster.store.onChange(change => {
    if (change.collection === collection) onDefinition(cluster, change)
    else if (change.type === 'DELETED') onObjectGone(cluster, change)
  })
}

const onDefinition = (cluster: Cluster, { type, stored, previous, key }: Change): void => {
  const definition = stored.object
  if (type === 'DELETED') {
    cluster.registry.setCustom(key, [])
    cluster.watches.drop(objectsOf(definition))
    return
  }
  if (!previous || !sameJson(previous.object.spec, definition.spec)) serve(cluster, definition, previous !== undefined)
  cluster.chores.add(`definition ${key}`, () => reconcile(cluster, key))
}

const objectsOf = (definition: KubeObject): string =>
  `${textAt(definition, 'spec', 'group')}/${textAt(definition, 'spec', 'names', 'plural')}`

/** Serves the definition, unless another kind uses one of its names. */
const serve = (cluster: Cluster, definition: KubeObject, wasServed: boolean): void => {
  if (conflictsOf(cluster, definition).length) return
  cluster.registry.setCustom(definition.metadata.name, kindsOf(definition))
  if (wasServed) cluster.watches.drop(objectsOf(definition))
}

type Conflict = { readonly field: string; readonly reason: string; readonly message: string }

const conflictsOf = ({ registry }: Cluster, definition: KubeObject): Conflict[] => {
  const group = textAt(definition, 'spec', 'group')
  const names = fieldsAt(definition, 'spec', 'names') ?? {}
  const others = registry
    .all()
    .filter(kind => kind.group === group && kind.custom?.definition !== definition.metadata.name)
  const isResource = (name: unknown) =>
    others.some(kind => kind.plural === name || kind.singular === name || kind.shortNames?.includes(String(name)))
  const isKind = (name: unknown) => others.some(kind => kind.kind === name || kind.listKind === name)
  const rows: [field: string, reason: string, taken: unknown][] = [
    ['plural', 'PluralConflict', [names.plural].find(isResource)],
    ['singular', 'SingularConflict', [names.singular].find(isResource)],
    ['shortNames', 'ShortNamesConflict', listAt(names, 'shortNames').find(isResource)],
    ['kind', 'KindConflict', [names.kind].find(isKind)],
    ['listKind', 'ListKindConflict', [names.listKind].find(isKind)],
  ]
  return rows.flatMap(([field, reason, taken]) =>
    taken === undefined ? [] : [{ field, reason, message: `${JSON.stringify(taken)} is already in use` }],
  )
}

const reconcile = (cluster: Cluster, key: string): void => {
  const definition = cluster.store.get(collection, key)?.object
  if (!definition) return
  if (definition.metadata.deletionTimestamp) endObjects(cluster, definition)
  else report(cluster, definition)
}

const report = (cluster: Cluster, definition: KubeObject): void => {
  const conflicts = conflictsOf(cluster, definition)
  const conflict = conflicts.at(-1)
  const wanted: Condition[] = conflict
    ? [
        { type: 'NamesAccepted', status: 'False', reason: conflict.reason, message: conflict.message },
        { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      ]
    : [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ]
  const before = fieldsAt(definition, 'status') ?? {}
  const conditions = withConditions(conditionsOf(definition), wanted)
  const status = { ...before, conditions, acceptedNames: acceptedNames(definition, conflicts) }
  if (!sameJson(before, status)) writeStatus(cluster, { ...definition, status })
}

const acceptedNames = (definition: KubeObject, conflicts: Conflict[]): JsonMap => {
  const names = { ...fieldsAt(definition, 'spec', 'names') }
  for (const { field } of conflicts) {
    if (field === 'plural' || field === 'kind') names[field] = ''
    else delete names[field]
  }
  return names
}

const writeStatus = (cluster: Cluster, definition: KubeObject): void => {
  const kind = cluster.registry.named('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
  if (kind) writeAs(cluster, kind, definition, { manager: 'kube-apiserver', subresource: 'status' })
}

const terminating: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
}

const endObjects = (cluster: Cluster, definition: KubeObject): void => {
  const { store } = cluster
  const name = definition.metadata.name
  const objects = objectsOf(definition)
  for (const object of store.objects(objects))
    if (!object.metadata.deletionTimestamp) removeQuietly(cluster, objects, object)
  if (store.collection(objects).size === 0) {
    removeFinalizer(store, collection, name, customResourceCleanup)
    return
  }
  const status = fieldsAt(definition, 'status') ?? {}
  const conditions = withConditions(conditionsOf(definition), [terminating])
  if (!sameJson(conditions, status.conditions))
    writeStatus(cluster, { ...definition, status: { ...status, conditions } })
}

const onObjectGone = (cluster: Cluster, { collection: objects }: Change): void => {
  const [kind] = cluster.registry.inCollection(objects)
  const name = kind?.custom?.definition
  if (name && cluster.store.get(collection, name)?.object.metadata.deletionTimestamp)
    cluster.chores.add(`definition ${name}`, () => reconcile(cluster, name))
}
