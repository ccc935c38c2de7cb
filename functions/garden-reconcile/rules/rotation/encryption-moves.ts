// The rotation of the key that encrypts what the etcds hold, as far as the cluster got. Two API servers read and write it, each with a
// file of keys: the first key writes, all of them read. A key may only write when every replica reads it, and may only go when nothing
// is stored with it any more. What is done is never remembered but looked up: in the files that all replicas run with, in labels and
// in markers; so whoever is killed between two moves makes the next one, and none twice.
//
//   fileKeys({ phase: 'Preparing', isPopulated: false }) // ['former', 'current']
//   encryptionMoves(seen) // [{ do: 'markPopulated', server: 'kube-apiserver' }], []: the rotation waits for nobody
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { firstRow } from '../../../../shared/core/first-row.ts'
import { sameJson } from '../../../../shared/core/json.ts'

/** The key that was made last, and the one that it replaces. */
export type EncryptionKey = 'current' | 'former'

export const encryptingServers = ['kube-apiserver', 'gardener-apiserver'] as const
export type EncryptingServer = (typeof encryptingServers)[number]

export type ServerSeen = {
  /** The keys of the file that all its replicas run with; undefined while a rollout goes on. */
  readonly rolledOut: readonly EncryptionKey[] | undefined
  /** Its marker says that once all replicas read the current key. */
  readonly isPopulated: boolean
}

export type EncryptionSeen = {
  readonly phase: RotationPhase
  readonly servers: Readonly<Record<EncryptingServer, ServerSeen>>
  /** Objects whose label does not name the current key; undefined: they could not all be read. */
  readonly unlabelled: number | undefined
  /** Objects that have the label; undefined: they could not all be read. */
  readonly labelled: number | undefined
  readonly hasBackup: boolean
  readonly isSnapshotted: boolean
}

export type EncryptionMove =
  | { readonly do: 'markPopulated'; readonly server: EncryptingServer }
  | { readonly do: 'label' | 'snapshot' | 'unlabel' | 'removeMarkers' }
  /** To go on, all that is stored encrypted must be known. */
  | { readonly do: 'read' }
  /** Nothing can be done but to look again. */
  | { readonly do: 'wait'; readonly for: string }

type FileSeen = { readonly phase: RotationPhase; readonly isPopulated: boolean }

const files: readonly { readonly when: (seen: FileSeen) => boolean; readonly keys: readonly EncryptionKey[] }[] = [
  { when: ({ phase, isPopulated }) => phase === 'Preparing' && !isPopulated, keys: ['former', 'current'] },
  { when: ({ phase }) => phase === 'Preparing' || phase === 'Prepared', keys: ['current', 'former'] },
  { when: () => true, keys: ['current'] },
]

/** The keys that the file of an API server is to hold now, the one that writes first. Without a former key there is only one. */
export const fileKeys = (seen: FileSeen): readonly EncryptionKey[] => firstRow(files, seen).keys

/** What is to be done next, all of it at once; none: this phase is over. */
export const encryptionMoves = (seen: EncryptionSeen): readonly EncryptionMove[] => {
  for (const moves of movesIn[seen.phase] ?? []) {
    const next = moves(seen)
    if (next.length > 0) return next
  }
  return []
}

type Moves = (seen: EncryptionSeen) => readonly EncryptionMove[]

/** The first of a list that has something to do counts. */
const chosen =
  (unless: (seen: EncryptionSeen) => boolean, move: EncryptionMove): Moves =>
  seen =>
    unless(seen) ? [] : [move]

const rollout: Moves = ({ phase, servers }) =>
  encryptingServers.flatMap((server): EncryptionMove[] => {
    const { rolledOut, isPopulated } = servers[server]
    if (sameJson(rolledOut, fileKeys({ phase, isPopulated }))) return []
    return [{ do: 'wait', for: `${server}: does not run with the keys of this phase yet` }]
  })

/** An API server whose replicas all read the current key may write with it, whatever the other one does. */
const population: Moves = seen => {
  const unpopulated = encryptingServers.filter(server => !seen.servers[server].isPopulated)
  return unpopulated.map((server): EncryptionMove => {
    const isRolledOut = sameJson(seen.servers[server].rolledOut, fileKeys({ phase: seen.phase, isPopulated: false }))
    if (isRolledOut) return { do: 'markPopulated', server }
    return { do: 'wait', for: `${server}: does not read the new encryption key yet` }
  })
}

const movesIn: Readonly<Partial<Record<RotationPhase, readonly Moves[]>>> = {
  Preparing: [
    population,
    rollout,
    chosen(({ unlabelled }) => unlabelled !== undefined, { do: 'read' }),
    chosen(({ unlabelled }) => unlabelled === 0, { do: 'label' }),
    chosen(({ hasBackup, isSnapshotted }) => !hasBackup || isSnapshotted, { do: 'snapshot' }),
  ],
  Completing: [
    rollout,
    chosen(({ labelled }) => labelled !== undefined, { do: 'read' }),
    chosen(({ labelled }) => labelled === 0, { do: 'unlabel' }),
    chosen(
      ({ servers, isSnapshotted }) => !isSnapshotted && encryptingServers.every(name => !servers[name].isPopulated),
      {
        do: 'removeMarkers',
      },
    ),
  ],
}
