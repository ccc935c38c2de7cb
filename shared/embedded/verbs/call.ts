// One request for an object or a list, after routing, authentication and authorization, and the query options of writes. Refuses
// contradictory options in the API server's words.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Attributes } from '../admission/attributes.ts'
import type { Cluster } from '../cluster.ts'
import type { User } from '../identity/user.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import {
  badRequest,
  type FieldFault,
  faultsIn,
  forbiddenField,
  invalid,
  invalidValue,
  notFound,
  required,
  tooLong,
  unlisted,
  unsupported,
} from '../status.ts'
import type { Stored } from '../storage/store.ts'
import type { JsonMap } from '../value.ts'

export type Call = {
  readonly cluster: Cluster
  readonly user: User
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: string
  readonly userAgent: string
  readonly warnings: Set<string>
}

export const currentOf = ({
  cluster,
  kind,
  namespace,
  name,
}: Pick<Call, 'cluster' | 'kind' | 'namespace' | 'name'>): Stored | undefined =>
  cluster.store.get(kind.collection, storageKey(kind, namespace, name))

export const existing = (call: Call): Stored => {
  const current = currentOf(call)
  if (!current) throw notFound(call.kind, call.name)
  return current
}

/** http/respond.ts writes the reply in the form that the client accepts. */
export type Reply =
  | { is: 'stored'; code: number; kind: Kind; stored: Stored }
  | { is: 'object'; code: number; kind?: Kind; object: KubeObject | JsonMap }
  | { is: 'list'; kind: Kind; list: ListReply }

export type ListReply = {
  readonly items: readonly Stored[]
  readonly revision: number
  readonly continueToken?: string
  readonly remaining?: number
}

export const attributesOf = (
  { kind, subresource, namespace, name, user, warnings }: Call,
  operation: Attributes['operation'],
  { isDryRun }: { readonly isDryRun: boolean },
): Omit<Attributes, 'object' | 'before'> & { object: undefined; before: undefined } => ({
  operation,
  kind,
  subresource,
  namespace,
  name,
  user,
  isDryRun,
  warnings,
  object: undefined,
  before: undefined,
})

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export type WriteOptions = {
  readonly isDryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly isForced: boolean
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

const longestManager = 128

/** `isApply` requires a field manager and allows `force`. */
export const writeOptions = (call: Call, options: OptionsKind, isApply = false): WriteOptions => {
  const { query } = call
  const dryRun = query.getAll('dryRun')
  const given = query.get('fieldManager') ?? ''
  const fieldValidation = query.get('fieldValidation') ?? ''
  const force = boolean(query, 'force')
  const isForceMisplaced = options === 'PatchOptions' && force !== undefined && !isApply
  const faults = faultsIn(
    dryRunFaults(dryRun),
    managerFaults(given, isApply),
    unlisted('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']),
    isForceMisplaced && forbiddenField('force', 'may not be specified for non-apply patch'),
  )
  if (faults.length) throw invalid({ group: 'meta.k8s.io', kind: options }, '', faults)
  return {
    isDryRun: dryRun.length > 0,
    fieldManager: given || managerFromAgent(call.userAgent),
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    isForced: force ?? false,
  }
}

export const dryRunFaults = (dryRun: readonly string[]): FieldFault[] =>
  dryRun.filter(value => value !== 'All').map(value => unsupported('dryRun', [value], ['All']))

const managerFaults = (manager: string, isApply: boolean): FieldFault[] => {
  if (isApply && manager === '') return [required('fieldManager', 'is required for apply patch')]
  if (manager.length > longestManager) return [tooLong('fieldManager', longestManager)]
  return [...manager].some(character => character < ' ' || character === '\x7f')
    ? [invalidValue('fieldManager', manager, 'should only contain printable characters')]
    : []
}

const managerFromAgent = (agent: string): string =>
  (agent.split('/')[0] ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, longestManager) || 'unknown'

export const boolean = (query: URLSearchParams, name: string): boolean | undefined => {
  const text = query.get(name)
  if (text === null) return undefined
  if (['1', 't', 'T', 'true', 'TRUE', 'True', ''].includes(text)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
  throw badRequest(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`)
}

export const integer = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}
