// The next moves of a rotation of the encryption keys, by the state of the cluster. Two API servers encrypt objects in the etcds, each with
// a file of keys: the first key encrypts, all keys decrypt. A key may become the first key only when every replica has the key in its file.
// A key may be dropped only when no object is encrypted with the key. Files, labels and markers show the progress, so the next call
// continues after a killed call and repeats no move.
//
//   fileKeys({ phase: 'Preparing', isPopulated: false }) // ['former', 'current']
//   encryptionMoves(seen) // [{ do: 'markPopulated', server: 'kube-apiserver' }], []: the rotation waits for nobody
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { firstRow } from '../../../../shared/core/decisions/checks.ts'
import { sameJson } from '../../../../shared/core/json/json.ts'

/** `current`: the newest key. `former`: the key that it replaces. */
export type EncryptionKey = 'current' | 'former'

export const encryptingServers = ['kube-apiserver', 'gardener-apiserver'] as const
export type EncryptingServer = (typeof encryptingServers)[number]

export type ServerSeen = {
  /** The keys in the file with which all replicas run. undefined during a rollout. */
  readonly rolledOut: readonly EncryptionKey[] | undefined
  /** A marker says that all replicas have had the current key in the file. */
  readonly isPopulated: boolean
}

export type EncryptionSeen = {
  readonly phase: RotationPhase
  readonly servers: Readonly<Record<EncryptingServer, ServerSeen>>
  /** Number of objects without a label that names the current key. undefined: not all objects could be read. */
  readonly unlabelled: number | undefined
  /** Number of objects with the label. undefined: not all objects could be read. */
  readonly labelled: number | undefined
  readonly hasBackup: boolean
  readonly isSnapshotted: boolean
  /** The set of encrypted resources is changing. */
  readonly isChanging: boolean
  /** All replicas can decrypt the resources that are to be encrypted. */
  readonly isReadable: boolean
  /** All objects of the changing resources are rewritten. */
  readonly isRewritten: boolean
}

export type EncryptionMove =
  | { readonly do: 'markPopulated'; readonly server: EncryptingServer }
  | { readonly do: 'label' | 'snapshot' | 'markReadable' | 'markRewritten' | 'unlabel' | 'removeMarkers' }
  /** All encrypted objects must be read before the next move is known. */
  | { readonly do: 'read' }
  | { readonly do: 'wait'; readonly for: string }

type FileSeen = { readonly phase: RotationPhase; readonly isPopulated: boolean }

const files: readonly { readonly when: (seen: FileSeen) => boolean; readonly keys: readonly EncryptionKey[] }[] = [
  { when: ({ phase, isPopulated }) => phase === 'Preparing' && !isPopulated, keys: ['former', 'current'] },
  { when: ({ phase }) => phase === 'Preparing' || phase === 'Prepared', keys: ['current', 'former'] },
  { when: () => true, keys: ['current'] },
]

/** The keys that the file of an API server must have now. The first key encrypts. If there is no former key, the file has only one key. */
export const fileKeys = (seen: FileSeen): readonly EncryptionKey[] => firstRow(files, seen).keys

/** The next moves, to be made together. Empty: the phase is over. */
export const encryptionMoves = (seen: EncryptionSeen): readonly EncryptionMove[] => {
  for (const moves of movesIn[seen.phase] ?? (seen.isChanging ? movesOfChange : [])) {
    const next = moves(seen)
    if (next.length > 0) return next
  }
  return []
}

type Moves = (seen: EncryptionSeen) => readonly EncryptionMove[]

const chosen =
  (unless: (seen: EncryptionSeen) => boolean, move: EncryptionMove): Moves =>
  seen =>
    unless(seen) ? [] : [move]

const rollout: Moves = ({ phase, servers }) =>
  encryptingServers.flatMap((server): EncryptionMove[] => {
    const { rolledOut, isPopulated } = servers[server]
    if (sameJson(rolledOut, fileKeys({ phase, isPopulated }))) return []
    return [{ do: 'wait', for: `${server}: does not run with the current encryption configuration yet` }]
  })

/** An API server may encrypt with the current key when all its own replicas have this key. It need not wait for the other API server. */
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
    chosen(({ isReadable }) => isReadable, { do: 'markReadable' }),
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

/** Outside a rotation, only objects of the changing resources are rewritten, and the key stays the same. */
const movesOfChange: readonly Moves[] = [
  rollout,
  chosen(({ isReadable }) => isReadable, { do: 'markReadable' }),
  chosen(({ isRewritten, unlabelled }) => isRewritten || unlabelled !== undefined, { do: 'read' }),
  chosen(({ isRewritten, unlabelled }) => isRewritten || unlabelled === 0, { do: 'label' }),
  chosen(({ isRewritten, hasBackup, isSnapshotted }) => isRewritten || !hasBackup || isSnapshotted, { do: 'snapshot' }),
  chosen(({ isRewritten }) => isRewritten, { do: 'markRewritten' }),
  chosen(({ labelled }) => labelled !== undefined, { do: 'read' }),
  chosen(({ labelled }) => labelled === 0, { do: 'unlabel' }),
  chosen(({ isSnapshotted }) => !isSnapshotted, { do: 'removeMarkers' }),
]
