// The query options of writes. Refuses contradictory options in the API server's words.
import { faultsIn, forbiddenField, invalidValue, required, tooLong, unlisted, unsupported } from '../faults.ts'
import { badRequest, type FieldFault, invalid } from '../status.ts'
import type { Call } from './call.ts'

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
