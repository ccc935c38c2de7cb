// Table columns of Nodes and Events.
import type { KubeObject } from '../../core/objects/object.ts'
import { at, fieldsAt, listAt, textAt } from '../value.ts'
import { age } from './age.ts'
import { aged, type Column, column, none } from './columns.ts'

const wide = (name: string, cell: (object: KubeObject) => unknown): Column => column(name, 'string', cell, 1)

const rolePrefix = 'node-role.kubernetes.io/'

const roles = ({ metadata }: KubeObject): string => {
  const named = Object.keys(metadata.labels ?? {}).filter(key => key.startsWith(rolePrefix) && key !== rolePrefix)
  const role = metadata.labels?.['kubernetes.io/role']
  const all = new Set([...named.map(key => key.slice(rolePrefix.length)), ...(role ? [role] : [])])
  return [...all].sort().join(',') || none
}

const nodeState = (node: KubeObject): string => {
  const ready = listAt(node, 'status', 'conditions').find(each => textAt(each, 'type') === 'Ready')
  const state = textAt(ready, 'status') === 'True' ? 'Ready' : ready ? 'NotReady' : 'Unknown'
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

export const nodeColumns: Readonly<Record<string, readonly Column[]>> = {
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

/** By collection: tables without a name column. */
export const namelessColumns: Readonly<Record<string, readonly Column[]>> = {
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
