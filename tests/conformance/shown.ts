// What of an answer is compared: everything but what differs from one run to the next, and that under a name.
import type { KubeObject, Reply, WatchEvent } from '../harness/clients/api.ts'
import type { Step } from './cases.ts'

type Fields = Record<string, unknown>
export type Names = Map<string, string>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const changing = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'namespace', 'selfLink'])

/** The value at a path of fields and indexes; `metadata.labels[a.b/c]` takes a whole name. */
export const at = (value: unknown, path: string): unknown =>
  [...path.matchAll(/\[([^\]]+)\]|([^.[]+)/g)]
    .map(([, whole, part]) => whole ?? part ?? '')
    .reduce<unknown>(
      (found, part) => (isFields(found) || Array.isArray(found) ? (found as Fields)[part] : undefined),
      value,
    )

/** What a request's answer shows. */
export const shownReply = (reply: Reply, step: Step, names: Names): unknown => {
  const { body, status: code } = reply
  if (step.show === 'code') return { code }
  if (step.show === 'warnings') return { code, warnings: masked(reply.warnings, names) }
  if (!reply.text.startsWith('{')) return { code, text: masked(reply.text, names) }
  if (body.kind === 'Status' && step.show === undefined) return { code, ...shownStatus(body, names) }
  return { code, ...(shownObject(body, step, names) as Fields) }
}

const shownObject = (body: KubeObject, { show }: Step, names: Names): unknown => {
  if (show === 'whole') return masked(body, names)
  if (show === 'managers') return { managers: managers(body, names) }
  if (Array.isArray(show)) return pick(body, show, names)
  if (Array.isArray(body.items)) return shownList(body, names)
  return { object: masked(withoutChanging(body), names) }
}

const pick = (object: unknown, paths: readonly string[], names: Names): Fields =>
  Object.fromEntries(paths.map(path => [path, shownAt(object, path, names) ?? null]))

const shownAt = (object: unknown, path: string, names: Names): unknown =>
  path.endsWith('resourceVersion') ? revision(at(object, path), names) : masked(at(object, path), names)

const shownList = ({ items, metadata }: KubeObject, names: Names): Fields => ({
  items: (items as KubeObject[]).map(item => masked(item.metadata?.name, names)),
  ...(metadata?.continue ? { continues: true } : {}),
  ...(metadata?.remainingItemCount !== undefined && { remaining: metadata.remainingItemCount }),
})

const withoutChanging = (object: KubeObject): Fields => {
  const { kind: _, apiVersion: __, metadata, ...rest } = object
  const kept = Object.entries(metadata ?? {}).filter(([name]) => !changing.has(name) && name !== 'name')
  return { ...(kept.length && { metadata: Object.fromEntries(kept) }), ...rest }
}

const shownStatus = (body: KubeObject, names: Names): Fields => {
  const { kind: _, apiVersion: __, metadata, code: ___, status, ...rest } = alike(masked(body, names) as Fields)
  const bare = isFields(metadata) && Object.keys(metadata).length ? { metadata } : {}
  return {
    ...bare,
    ...(status === 'Success' && { status }),
    ...rest,
    ...(isFields(rest.details) && { details: sorted(rest.details) }),
  }
}

/** Several causes come in the order of Go's maps; they are compared apart from the message that lists them. */
const alike = (status: Fields): Fields =>
  typeof status.message === 'string' && Array.isArray(at(status, 'details.causes')) && status.message.includes(': [')
    ? { ...status, message: status.message.slice(0, status.message.indexOf(': [') + 2) }
    : status

/** Causes are a set: the real server walks Go's maps, and finds some things twice. */
const sorted = (details: Fields): Fields =>
  Array.isArray(details.causes) ? { ...details, causes: distinct(details.causes) } : details

const distinct = (causes: readonly unknown[]): unknown[] =>
  [...new Map(causes.map(cause => [text(cause), cause]))]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, cause]) => cause)

const text = (value: unknown): string => JSON.stringify(value)

/** What an event shows: `ADDED a`, with the values of the paths that were asked for. */
export const shownEvent = ({ type, object }: WatchEvent, step: Step, names: Names): unknown => {
  if (type === 'ERROR') return { ERROR: shownStatus(object, names), code: object.code }
  const annotations = object.metadata?.annotations
  if (type === 'BOOKMARK') return annotations ? { BOOKMARK: annotations } : 'BOOKMARK'
  const head = `${type} ${masked(object.metadata?.name, names)}`
  if (step.show === 'whole') return { [head]: masked(object, names) }
  return Array.isArray(step.show) ? { [head]: pick(object, step.show, names) } : head
}

/** Who owns what: `me Apply v1` → paths. */
const managers = (object: KubeObject, names: Names): Fields => {
  const entries = (object.metadata?.managedFields ?? []) as Fields[]
  return Object.fromEntries(
    entries
      .filter(isOfCase)
      .map(({ manager, operation, apiVersion, subresource, fieldsV1 }) => [
        masked([manager, operation, apiVersion, subresource].filter(Boolean).join(' '), names),
        masked(ownedPaths(fieldsV1).sort(), names),
      ]),
  )
}

/** What controllers write comes when it comes. */
const isOfCase = ({ manager }: Fields): boolean => !String(manager).startsWith('kube-')

/** Who owns what, for comparing two servers. */
export const managersOf = (object: KubeObject): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(managers(object, new Map())).sort()) as Record<string, string[]>

/** An object's spec with its fields in one order. */
export const specOf = (object: KubeObject): Fields => masked(object.spec ?? {}, new Map()) as Fields

const ownedPaths = (fields: unknown, path = ''): string[] => {
  if (!isFields(fields)) return []
  const names = Object.keys(fields)
  if (names.length === 0) return [path]
  return names.flatMap(name => (name === '.' ? [path] : ownedPaths(fields[name], `${path}${edge(name)}`)))
}

const edge = (name: string): string => (name.startsWith('f:') ? `.${name.slice(2)}` : `[${name.slice(2)}]`)

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/test-[0-9a-f]{10}-\d+(-[a-z]+)?-\d+/g, '$$ns'],
  [/generated-[a-z0-9]{5}\b/g, 'generated-<random>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/^[\w+/]{11}=$/, '<hash>'],
  [/kube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<random>'],
  [/\b10\.96\.\d+\.\d+/g, '<cluster IP>'],
  [/(patch: )?Invalid value: "\{\\"(?:apiVersion|kind)\\".*\}": /g, '$1Invalid value: <patched object>: '],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'],
  [/(resource version: )\d+/g, '$1<revision>'],
  [/(current: )\d+/g, '$1<revision>'],
  [/\(\d{2,}\)/g, '(<revision>)'],
  [/(ResourceVersion in record \()[^)]+/g, '$1<revision>'],
]

/** A value with names in the place of what no two runs share. */
export const masked = (value: unknown, names: Names): unknown => {
  if (typeof value === 'string') return maskedText(value, names)
  if (Array.isArray(value)) return value.map(item => masked(item, names))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [
        maskedText(name, names),
        name === 'resourceVersion' ? revision(value[name], names) : masked(value[name], names),
      ]),
  )
}

const maskedText = (given: string, names: Names): string => {
  const known = [...names]
    .filter(([, value]) => value.length > 8)
    .reduce((result, [name, value]) => result.replaceAll(value, `\${${name}}`), given)
  return patterns.reduce((result, [pattern, name]) => result.replace(pattern, name), known)
}

const revision = (value: unknown, names: Names): unknown => {
  if (typeof value !== 'string' || value === '' || value === '0') return value
  const name = [...names].find(([, known]) => known === value)?.[0]
  return name ? `\${${name}}` : '<revision>'
}
