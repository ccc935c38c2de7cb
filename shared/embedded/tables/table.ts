// The meta.k8s.io/v1 Table that `kubectl get` prints. The columns are fixed for built-in kinds, or the printer columns of a
// CustomResourceDefinition, or name and age. Paths of printer columns and scales support a part of JSONPath: fields, quoted fields,
// indexes, `[*]` and filters by equality.
import { keptOrMade } from '../../core/memory/remembered.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import { at, fieldsAt, isMap, listAt, own, textAt } from '../value.ts'
import { age, aged, builtinColumns, type Column, column, none } from './columns.ts'
import { moreColumns } from './more-columns.ts'

const wide = (name: string, cell: (object: KubeObject) => unknown): Column => column(name, 'string', cell, 1)

const rolePrefix = 'node-role.kubernetes.io/'

const roles = ({ metadata }: KubeObject): string => {
  const named = Object.keys(metadata.labels ?? {}).filter(key => key.startsWith(rolePrefix) && key !== rolePrefix)
  const role = metadata.labels?.['kubernetes.io/role']
  const all = new Set([...named.map(key => key.slice(rolePrefix.length)), ...(role ? [role] : [])])
  return [...all].sort().join(',') || none
}

const nodeState = (node: KubeObject): string => {
  const ready = conditionOf(node, 'Ready')
  const state = isTrue(ready) ? 'Ready' : ready ? 'NotReady' : 'Unknown'
  return at(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state
}

const addressOf = (node: KubeObject, type: string): string =>
  textAt(
    listAt(node, 'status', 'addresses').find(each => textAt(each, 'type') === type),
    'address',
  ) || none

const info = (node: KubeObject, field: string): string => textAt(node, 'status', 'nodeInfo', field)
const known = (text: string): string => text || '<unknown>'

const kernel = (node: KubeObject): string => {
  const architecture = info(node, 'architecture')
  return `${known(info(node, 'kernelVersion'))}${architecture && ` (${architecture})`}`
}

const firstSeen = (event: KubeObject): string => age(event.firstTimestamp ?? event.eventTime)

const lastSeen = (event: KubeObject): string => {
  const series = fieldsAt(event, 'series')
  if (series) return age(series.lastObservedTime)
  return event.lastTimestamp ? age(event.lastTimestamp) : firstSeen(event)
}

const timesSeen = (event: KubeObject): number => Number(at(event, 'series', 'count') ?? event.count ?? 0) || 1

const source = (event: KubeObject): string => {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent')
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance')
  return host ? `${component}, ${host}` : component
}

const target = (event: KubeObject): string => {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase()
  const name = textAt(event, 'involvedObject', 'name')
  return name ? `${kind}/${name}` : kind
}

const nodeColumns: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    column('Status', 'string', nodeState),
    column('Roles', 'string', roles),
    aged,
    column('Version', 'string', node => info(node, 'kubeletVersion')),
    wide('Internal-IP', node => addressOf(node, 'InternalIP')),
    wide('External-IP', node => addressOf(node, 'ExternalIP')),
    wide('OS-Image', node => known(info(node, 'osImage'))),
    wide('Kernel-Version', kernel),
    wide('Container-Runtime', node => known(info(node, 'containerRuntimeVersion'))),
  ],
}

/** Kinds whose tables have no name column. */
const namelessColumns: Readonly<Record<string, readonly Column[]>> = {
  events: [
    column('Last Seen', 'string', lastSeen),
    column('Type', 'string', event => event.type),
    column('Reason', 'string', event => event.reason),
    column('Object', 'string', target),
    wide('Subobject', event => textAt(event, 'involvedObject', 'fieldPath')),
    wide('Source', source),
    column('Message', 'string', event => String(event.message ?? '').trim()),
    wide('First Seen', firstSeen),
    wide('Count', timesSeen),
    wide('Name', event => event.metadata.name),
  ],
}

type TableOptions = {
  include: 'None' | 'Metadata' | 'Object'
  metadata: Record<string, unknown>
  apiVersion: string
}

export const tableOf = (
  kind: Kind,
  objects: readonly KubeObject[],
  { include, metadata, apiVersion }: TableOptions,
): Record<string, unknown> => {
  const columns = columnsOf(kind)
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    rows: objects.map(object => ({ cells: cellsOf(kind, columns, object), ...shownWith(object, include, apiVersion) })),
  }
}

/** Cells of built-in kinds are read from the stored version, even if another version was requested. */
const cellsOf = (kind: Kind, columns: readonly Column[], object: KubeObject): unknown[] => {
  const read = kind.hide && !kind.custom ? kind.hide(object) : object
  return columns.map(column => column.cell(read))
}

const shownWith = (
  object: KubeObject,
  include: TableOptions['include'],
  apiVersion: string,
): Record<string, unknown> => {
  if (include === 'None') return {}
  if (include === 'Object') return { object }
  return { object: { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata } }
}

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  cell: object => object.metadata.name,
}

const createdAt = column('Created At', 'date', object => object.metadata.creationTimestamp)

const columnsOf = (kind: Kind): readonly Column[] => {
  if (kind.custom) return customColumns(kind)
  const columns = builtinColumns[kind.collection] ?? moreColumns[kind.collection] ?? nodeColumns[kind.collection]
  return namelessColumns[kind.collection] ?? [nameColumn, ...(columns ?? [createdAt])]
}

const customColumns = (kind: Kind): Column[] => {
  const own = kind.custom?.printerColumns ?? []
  if (own.length === 0) return [nameColumn, { ...aged, type: 'date' }]
  const columns = own.map(
    ({ name, type, format, description, priority, jsonPath }): Column => ({
      name,
      type,
      format,
      description,
      priority,
      cell: object =>
        type === 'date' ? age(jsonPathText(object, jsonPath)) : typedCell(type, jsonPathText(object, jsonPath)),
    }),
  )
  return [nameColumn, ...columns]
}

const typedCell = (type: string, text: string | undefined): unknown => {
  if (text === undefined || text === '') return type === 'string' ? (text ?? '') : null
  if (type === 'integer') return Math.trunc(Number(text))
  if (type === 'number') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}

type Step = { field: string } | { index: number } | 'all' | { where: string; equals: string }

const stepPattern =
  /\.([\w-]+(?:\\\.[\w-]+)*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|\[\*\]|\.\*|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]/gy

const parsed = new Map<string, Step[]>()

const stepsOf = (path: string): Step[] =>
  keptOrMade(parsed, path, () =>
    [...path.matchAll(stepPattern)].map(([, field, single, double, index, where, equals = '']): Step => {
      const name = field ?? single ?? double
      if (name !== undefined) return { field: name.replaceAll('\\.', '.') }
      if (index !== undefined) return { index: Number(index) }
      return where === undefined ? 'all' : { where, equals }
    }),
  )

const jsonPathValues = (value: unknown, path: string): unknown[] =>
  stepsOf(path).reduce<unknown[]>((values, step) => values.flatMap(each => take(each, step)), [value])

const take = (value: unknown, step: Step): unknown[] => {
  if (step === 'all') return Array.isArray(value) ? value : isMap(value) ? Object.values(value) : []
  if ('field' in step) return isMap(value) && own(value, step.field) !== undefined ? [own(value, step.field)] : []
  if ('index' in step)
    return Array.isArray(value) ? value.slice(step.index, step.index === -1 ? undefined : step.index + 1) : []
  if (!Array.isArray(value)) return []
  return value.filter(item => jsonPathValues(item, `.${step.where}`).some(found => String(found) === step.equals))
}

const jsonPathText = (value: unknown, path: string): string | undefined => {
  const [found] = jsonPathValues(value, path)
  if (found === undefined || found === null) return undefined
  return typeof found === 'object' ? JSON.stringify(found) : String(found)
}
