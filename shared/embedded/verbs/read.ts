// GET of single objects and of lists.
import { posix } from 'node:path'
import { storageKey } from '../kinds/kind.ts'
import {
  badRequest,
  type FieldFault,
  faultsIn,
  forbiddenField,
  invalid,
  StatusError,
  tooLargeRevision,
  unsupported,
} from '../status.ts'
import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  selectedName,
} from '../storage/selectors.ts'
import type { Snapshot, Store, Stored } from '../storage/store.ts'
import { isMap, parsedJson } from '../value.ts'
import { type Call, existing, integer, type Reply } from './call.ts'

export const get = (call: Call): Reply => {
  refuseFuture(call, revisionOf(call))
  return { is: 'stored', code: 200, kind: call.kind, stored: existing(call) }
}

export const revisionOf = (call: Call, fault = (why: string) => new StatusError(500, '', why)): number | undefined => {
  const text = call.query.get('resourceVersion')
  if (text === null || text === '') return undefined
  if (!/^\d+$/.test(text)) {
    const quoted = JSON.stringify(text)
    const why = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`
    throw fault(why)
  }
  return Number(text)
}

export const refuseFuture = ({ cluster }: Call, revision: number | undefined): void => {
  if (revision !== undefined && revision > cluster.store.revision)
    throw tooLargeRevision(revision, cluster.store.revision)
}

export type Selector = {
  matches(stored: Stored): boolean
  readonly isEmpty: boolean
  readonly name: string | undefined
}

export const selectorOf = (call: Call): Selector => {
  const labels = parseLabelSelector(call.query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(call.query.get('fieldSelector') ?? '', call.kind)
  const { kind } = call
  return {
    isEmpty: labels.length === 0 && fields.length === 0,
    name: call.name || selectedName(fields),
    matches: stored =>
      matchesLabels(labels, stored.object.metadata.labels) &&
      (fields.length === 0 || matchesFields(fields, stored.shown(kind))),
  }
}

type ListOptions = { limit: number; revision: number | undefined; match: string; token: string }

const listOptions = (call: Call): ListOptions => {
  const match = call.query.get('resourceVersionMatch') ?? ''
  const options = {
    limit: integer(call.query, 'limit') ?? 0,
    // With this error, a list answers 400, and other requests answer 500.
    revision: revisionOf(call, why => badRequest(`invalid resource version: ${why}`)),
    match,
    token: call.query.get('continue') ?? '',
  }
  const isInitial = call.query.has('sendInitialEvents')
  const faults = faultsIn(
    optionFaults(options),
    isInitial && forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
  )
  if (faults.length) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', faults)
  if (options.token && options.revision !== undefined && options.revision !== 0)
    throw badRequest('specifying resource version is not allowed when using continue')
  return options
}

const optionFaults = ({ revision, match, token }: ListOptions): FieldFault[] => {
  if (!match) return []
  const fault = (why: string) => forbiddenField('resourceVersionMatch', `resourceVersionMatch is forbidden ${why}`)
  const unbound = revision === undefined ? [fault('unless resourceVersion is provided')] : []
  if (token) return [...unbound, fault('when continue is provided')]
  if (unbound.length) return unbound
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [unsupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', ''])]
  return match === 'Exact' && revision === 0
    ? [forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
    : []
}

export const list = (call: Call): Reply => {
  const options = listOptions(call)
  const selector = selectorOf(call)
  const from = options.token ? readContinueToken(options.token) : undefined
  const page = pageOf(call, selector, snapshotFor(call, options, from), options.limit, from)
  return { is: 'list', kind: call.kind, list: page }
}

const prefixOf = ({ kind, namespace }: Call): string => (kind.namespaced && namespace ? `${namespace}/` : '')

const snapshotFor = (call: Call, { revision, match, limit }: ListOptions, from: Position | undefined): Snapshot => {
  const { store } = call.cluster
  const { collection } = call.kind
  if (from) {
    if (from.revision < 0) return store.now(collection)
    refuseExpired(store, from)
    return store.snapshot(collection, from.revision)
  }
  refuseFuture(call, revision)
  const isExact = match === 'Exact' || (match === '' && limit > 0 && revision !== undefined && revision > 0)
  if (!isExact || revision === undefined) return store.now(collection)
  refuseExpired(store, { revision })
  return store.snapshot(collection, revision)
}

type Page = Extract<Reply, { is: 'list' }>['list']

const pageOf = (call: Call, selector: Selector, snapshot: Snapshot, limit: number, from?: Position): Page => {
  const { kind } = call
  const prefix = prefixOf(call)
  if (selector.name && (!kind.namespaced || call.namespace)) return singlePage(call, selector, snapshot)
  const keys = snapshot.keys(prefix, prefix + (from?.start ?? ''))
  const items: Stored[] = []
  for (const [index, key] of keys.entries()) {
    if (limit > 0 && items.length === limit) {
      const start = `${(keys[index - 1] ?? '').slice(prefix.length)}\0`
      const { revision } = snapshot
      const page = { items, revision, continueToken: continueToken({ revision, start }) }
      return selector.isEmpty ? { ...page, remaining: keys.length - index } : page
    }
    const stored = snapshot.get(key)
    if (stored && (selector.isEmpty || selector.matches(stored))) items.push(stored)
  }
  return { items, revision: snapshot.revision }
}

const singlePage = ({ kind, namespace }: Call, selector: Selector, snapshot: Snapshot): Page => {
  const stored = snapshot.get(storageKey(kind, namespace, selector.name ?? ''))
  return { items: stored && selector.matches(stored) ? [stored] : [], revision: snapshot.revision }
}

/**
 * The place where a paged list continues. `start`: the rest of a key below the listed prefix. A negative revision is the current revision.
 */
type Position = { readonly revision: number; readonly start: string }

const version = 'meta.k8s.io/v1'

const continueToken = ({ revision, start }: Position): string =>
  Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString('base64url')

const readContinueToken = (token: string): Position => {
  const { v, rv, start } = decoded(token)
  if (v !== version) throw invalidToken(`server does not recognize this encoded version ${v ?? ''}`)
  if (start === '' && rv !== 0) throw invalidToken(`encoded start key empty (version ${version})`)
  if (typeof start !== 'string' || start === '' || typeof rv !== 'number' || rv === 0)
    throw invalidToken(`incorrect encoded start resourceVersion (version ${version})`)
  if (!isPlain(start)) throw invalidToken(start)
  return { revision: rv, start: start.replace(/^\//, '') }
}

const invalidToken = (why: string): StatusError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`)

const isPlain = (start: string): boolean => {
  const path = start.startsWith('/') ? start : `/${start}`
  return posix.normalize(path) === path && !path.endsWith('/')
}

const decoded = (token: string): Record<string, unknown> => {
  const odd = token.search(/[^\w-]/)
  if (odd >= 0) throw invalidToken(`illegal base64 data at input byte ${odd}`)
  const text = Buffer.from(token, 'base64url').toString()
  const value = parsedJson(text)
  if (isMap(value)) return value
  throw invalidToken(`invalid character '${text[0] ?? ''}' looking for beginning of value`)
}

const expiredPage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** Answers 410 for a compacted revision. The error for a page contains a token that continues at the current revision. */
const refuseExpired = (store: Store, at: { revision: number; start?: string }): void => {
  if (at.revision >= store.history.compacted) return
  if (at.start === undefined)
    throw new StatusError(410, 'Expired', 'The resourceVersion for the provided list is too old.')
  const onward = continueToken({ revision: -1, start: at.start })
  throw new StatusError(410, 'Expired', expiredPage, undefined, { continue: onward })
}
