// The states of a Manifest, one row each: when it applies, and what the Manifest is about. The first that applies counts.
import { type DependentsStatus, type Note, noteText } from '../../../shared/component/told/dependents-status.ts'
import { listText } from '../../../shared/component/told/sentences.ts'
import { firstRow } from '../../../shared/core/first-row.ts'
import { isDeleting } from '../../../shared/core/object.ts'
import type { ModuleState } from '../../../shared/kyma/kinds.ts'
import { manifestOperations, waitingForFinalizers } from '../reasons.ts'
import type { World } from '../world.ts'
import { othersFinalizers } from './standing.ts'

/** `dependents`: absent, when the reading ended before the objects. */
export type Case = { readonly world: World; readonly now: Date; readonly dependents?: DependentsStatus }

/** `isOutside`: runtime or registry are in trouble. */
export type Saying = { readonly state: ModuleState; readonly operation: string; readonly isOutside: boolean }

type Row = {
  readonly when: (c: Case) => boolean
  readonly state: ModuleState
  readonly operation: (c: Case) => string
  readonly isOutside?: (c: Case) => boolean
}

const rows: readonly Row[] = [
  {
    when: ({ world: { found } }) => found.is === 'released',
    state: 'Deleting',
    operation: ({ world: { manifest } }) => waitingForFinalizers(othersFinalizers(manifest)),
  },
  {
    when: ({ world: { found } }) => found.is === 'failed',
    state: 'Error',
    operation: ({ world: { found } }) => (found.is === 'failed' ? found.fault.text : ''),
    isOutside: ({ world: { found } }) => found.is === 'failed' && found.fault.isOutside,
  },
  {
    when: c => (c.dependents?.errors.length ?? 0) > 0,
    state: 'Error',
    operation: ({ dependents }) => textsOf(dependents?.errors.map(({ message }) => message) ?? []),
    isOutside: ({ dependents }) => dependents?.errors.some(({ isRetriable }) => isRetriable) ?? false,
  },
  {
    when: c => isGoing(c) && notesOf(c, 'blocked').length > 0,
    state: 'Deleting',
    operation: () => manifestOperations.blocked,
  },
  { when: isGoing, state: 'Deleting', operation: () => manifestOperations.pruning },
  {
    when: c => notesOf(c, 'failed').length > 0,
    state: 'Error',
    operation: c => textsOf(notesOf(c, 'failed').map(noteText)),
  },
  { when: c => notesOf(c, 'unready').length > 0, state: 'Processing', operation: () => manifestOperations.installing },
  {
    when: c => [...notesOf(c, 'redundant'), ...notesOf(c, 'blocked')].length > 0,
    state: 'Warning',
    operation: () => manifestOperations.pruning,
  },
  { when: c => c.dependents?.ready !== true, state: 'Processing', operation: () => manifestOperations.installing },
  { when: () => true, state: 'Ready', operation: () => manifestOperations.ready },
]

export const sayingOf = (c: Case): Saying => {
  const { state, operation, isOutside } = firstRow(rows, c)
  return { state, operation: operation(c), isOutside: isOutside?.(c) ?? false }
}

function isGoing({ world: { manifest } }: Case): boolean {
  return isDeleting(manifest)
}

type Notes = 'failed' | 'unready' | 'redundant' | 'blocked'

const notesOf = ({ dependents }: Case, field: Notes): readonly Note[] => dependents?.[field] ?? []

const textsOf = (texts: readonly string[]): string => listText(texts, { between: '; ' })
