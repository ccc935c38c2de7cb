// The states of a Manifest, one row each: when the state applies, and its text. The first row that applies counts.
import { type DependentsStatus, type Note, noteText } from '../../../shared/component/reported/dependents-status.ts'
import { firstRow } from '../../../shared/core/decisions/checks.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { isDeleting, refOf, refText } from '../../../shared/core/objects/object.ts'
import { listText } from '../../../shared/core/text/text.ts'
import { type ModuleState, othersFinalizers, waitingForFinalizers } from '../../../shared/kyma/kinds.ts'
import type { Requeue, Situation } from '../../../shared/kyma/next-call.ts'
import { manifestOperations, waitingForOther } from '../reasons.ts'
import type { Fault, World } from '../world.ts'
import { podTrouble } from './readiness.ts'

/** `dependents`: absent if the objects were not read. */
export type Case = { readonly world: World; readonly now: Date; readonly dependents?: DependentsStatus }

type Saying = Pick<Situation, 'state' | 'operation' | 'needs'> & { readonly requeue: Requeue }

type Row = {
  readonly when: (c: Case) => boolean
  readonly state: ModuleState
  readonly operation: (c: Case) => string
  /** What can change the state. Absent: `time`. */
  readonly needs?: (c: Case) => Situation['needs']
  /** Absent: `manifest_reconcile_finished`. */
  readonly requeue?: (c: Case) => Requeue
}

const intended = (reason: string): Requeue => ({ reason, type: 'intended' })
const unexpected = (reason: string): Requeue => ({ reason, type: 'unexpected' })

const rows: readonly Row[] = [
  {
    when: ({ world: { found } }) => found.is === 'released',
    state: 'Deleting',
    operation: ({ world: { manifest } }) => waitingForFinalizers(othersFinalizers(manifest)),
  },
  {
    when: c => faultOf(c) !== undefined,
    state: 'Error',
    operation: c => faultOf(c)?.text ?? '',
    needs: c => faultOf(c)?.needs ?? 'time',
    requeue: c => unexpected(requeueAfter(faultOf(c))),
  },
  {
    when: c => (c.dependents?.errors.length ?? 0) > 0,
    state: 'Error',
    operation: ({ dependents }) => textsOf(dependents?.errors.map(({ message }) => message) ?? []),
    needs: ({ dependents }) => (dependents?.errors.some(({ isRetriable }) => isRetriable) ? 'outside' : 'time'),
    requeue: () => unexpected('manifest_sync_resources'),
  },
  {
    when: c => isGoing(c) && notesOf(c, 'blocked').length > 0,
    state: 'Deleting',
    operation: () => manifestOperations.blocked,
    requeue: () => intended('manifest_pre_delete_enqueue_required'),
  },
  {
    when: isGoing,
    state: 'Deleting',
    operation: c => pruning(c),
    requeue: () => intended('manifest_prune_diff_not_finished'),
  },
  { when: c => failures(c).length > 0, state: 'Error', operation: c => textsOf(failures(c)) },
  {
    when: c => notesOf(c, 'unready').length > 0,
    state: 'Processing',
    operation: c => textsOf([manifestOperations.installing, ...podTroubles(c)]),
  },
  {
    when: c => defaultObjectSays(c)?.state === 'Error',
    state: 'Error',
    operation: c => defaultObjectSays(c)?.text ?? '',
  },
  {
    when: c => [...notesOf(c, 'redundant'), ...notesOf(c, 'blocked')].length > 0,
    state: 'Warning',
    operation: c => pruning(c),
    requeue: () => intended('manifest_prune_diff_not_finished'),
  },
  { when: c => c.dependents?.ready !== true, state: 'Processing', operation: () => manifestOperations.installing },
  {
    when: c => defaultObjectSays(c)?.state === 'Warning',
    state: 'Warning',
    operation: c => defaultObjectSays(c)?.text ?? '',
  },
  { when: () => true, state: 'Ready', operation: () => manifestOperations.ready },
]

export const sayingOf = (c: Case): Saying => {
  const { state, operation, needs, requeue } = firstRow(rows, c)
  const finished = intended('manifest_reconcile_finished')
  return { state, operation: operation(c), needs: needs?.(c) ?? 'time', requeue: requeue?.(c) ?? finished }
}

const faultOf = ({ world: { found } }: Case) => (found.is === 'failed' ? found.fault : undefined)

const requeueAfter = (fault: Fault | undefined): string =>
  fault?.isOfLayer ? 'manifest_render_resources' : (fault?.requeue ?? 'manifest_client_init')

function isGoing({ world: { manifest } }: Case): boolean {
  return isDeleting(manifest)
}

type Notes = 'failed' | 'unready' | 'redundant' | 'blocked'

const notesOf = ({ dependents }: Case, field: Notes): readonly Note[] => dependents?.[field] ?? []

const textsOf = (texts: readonly string[]): string => listText(texts, { between: '; ' })

/** Names the Manifests that still need objects for a while. */
const pruning = (c: Case): string => {
  const needed = notesOf(c, 'redundant').flatMap(({ ref, neededBy = [] }) =>
    neededBy.map(other => ({ other, object: refText(ref) })),
  )
  const byOther = [...Map.groupBy(needed, ({ other }) => other)]
  const waiting = byOther.map(([other, all]) => waitingForOther(other, listText(all.map(({ object }) => object))))
  return waiting.length > 0 ? textsOf(waiting) : manifestOperations.pruning
}

const failures = (c: Case): string[] => {
  const { found } = c.world
  const pods = found.is === 'installed' ? found.firstPods : []
  return [...notesOf(c, 'failed').map(noteText), ...pods.flatMap(pod => podTrouble(pod) ?? [])]
}

const podTroubles = ({ world: { found } }: Case): readonly string[] =>
  found.is === 'installed' ? found.podTroubles : []

/** State and message in the status of the default object. */
const defaultObjectSays = (c: Case): { readonly state: unknown; readonly text: string } | undefined => {
  const { found } = c.world
  if (found.is !== 'installed' || found.defaultKey === undefined) return undefined
  const live = found.dependents.observed.live.get(found.defaultKey)
  if (!live) return undefined
  const { state, conditions } = mapOrEmpty(live.status)
  return { state, text: [refText(refOf(live)), ...messageIn(conditions)].join(': ') }
}

const messageIn = (conditions: unknown): string[] => {
  const [first] = mapsIn(conditions)
  return typeof first?.message === 'string' && first.message !== '' ? [first.message] : []
}
