// The progress of a rotation of the encryption keys in the cluster, and the writes of the next moves.
import type { StatusChange, Step, StepResult } from '../../../../shared/core/decisions/plan.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { mapOrEmpty, mapsIn, sameJson } from '../../../../shared/core/json/json.ts'
import { phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { fileRules, fileRulesIn } from '../../desired/apiserver-parts/encryption-config.ts'
import { backupStore, liveEtcd } from '../../desired/etcds.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject } from '../objects.ts'
import { unreadyText } from '../readiness.ts'
import { keyInFile } from '../secrets/encryption-key.ts'
import { currentSecret } from '../secrets/existing-secrets.ts'
import {
  type EncryptingServer,
  type EncryptionMove,
  encryptingServers,
  encryptionMoves,
  type ServerSeen,
} from './encryption-moves.ts'
import {
  apiServers,
  changedResources,
  encryptedInFiles,
  everEncrypted,
  hasChangedResources,
  isMarked,
  isReadable,
  isRewritten,
  isServedBy,
  keptAnnotation,
  keyConfigOf,
  keysInPhase,
  markSteps,
  unmarkSteps,
} from './encryption-state.ts'
import {
  type EncryptedKind,
  encryptedKinds,
  type Rewriting,
  type RotationWork,
  rewriting,
  unwrittenSelector,
  type VirtualKind,
  type VirtualQuery,
  virtualKindOf,
  virtualObjectsOf,
} from './virtual-objects.ts'

export const encryptionRotation = (world: World): RotationWork => {
  const found = nextMoves(world).map(move => workOf(world, move))
  return { steps: found.flatMap(({ steps }) => steps), waits: found.flatMap(({ waits }) => waits) }
}

export const needsEncryptedObjects = (world: World): boolean => nextMoves(world).some(move => move.do === 'read')

/** Queries for encrypted objects that must still be rewritten. */
export const encryptedQueries = (world: World): readonly VirtualQuery[] =>
  encryptingServers.flatMap(server => {
    const labelSelector = unwrittenSelector(keyNameNow(world, server))
    return kindsToRewrite(world, server).map(kind => ({ ...kind, labelSelector }))
  })

/** The key name that the label of the objects must have now. undefined: the label is removed. */
const keyNameNow = (world: World, server: EncryptingServer): string | undefined => {
  const isWritten = isInRotation(world) ? phaseIn(world) === 'Completing' : isRewritten(world.garden)
  return isWritten ? undefined : currentKeyName(world, server)
}

const phaseIn = ({ garden }: World) => phaseOf(garden, 'etcdEncryptionKey')

const isInRotation = (world: World): boolean => ['Preparing', 'Completing'].includes(phaseIn(world))

/** A rotation rewrites all objects that are, or may be, stored encrypted. */
const kindsToRewrite = (world: World, server: EncryptingServer): readonly VirtualKind[] => {
  const resources = isInRotation(world) ? everEncrypted(world.garden) : changedResources(world.garden)
  const more = resources.filter(one => isServedBy(server, one)).map(virtualKindOf)
  return isInRotation(world) ? [...encryptedKinds[server], ...more] : more
}

const currentKeyName = (world: World, server: EncryptingServer): string | undefined =>
  currentSecret(world, keyConfigOf(server))?.metadata.name

const nextMoves = (world: World): readonly EncryptionMove[] =>
  encryptionMoves({
    phase: phaseIn(world),
    isChanging: hasChangedResources(world.garden),
    isReadable: isReadable(world.garden),
    isRewritten: isRewritten(world.garden),
    servers: {
      'kube-apiserver': serverSeen(world, 'kube-apiserver'),
      'gardener-apiserver': serverSeen(world, 'gardener-apiserver'),
    },
    unlabelled: labelling(world).left,
    labelled: unlabelling(world).left,
    hasBackup: backupStore(world) !== undefined,
    isSnapshotted: encryptingServers.some(server => isMarked(world, keyConfigOf(server), 'snapshotted')),
  })

const workOf = (world: World, move: EncryptionMove): RotationWork => {
  switch (move.do) {
    case 'markPopulated':
      return marking(markSteps(world, [keyConfigOf(move.server)], 'populated'))
    case 'read':
      return { steps: [], waits: labelling(world).waits }
    case 'label':
      return labelling(world)
    case 'markReadable':
      return keeping(world, 'isReadable')
    case 'markRewritten':
      return keeping(world, 'isRewritten')
    case 'unlabel':
      return unlabelling(world)
    case 'snapshot':
      return snapshot(world)
    case 'removeMarkers':
      return marking(unmarkSteps(world))
    case 'wait':
      return { steps: [], waits: [move.for] }
  }
}

/** Each object is rewritten twice: Preparing sets a label with the name of the current key, Completing removes the label. */
const labelling = (world: World): Rewriting => rewriting(kindsOf(world, server => currentKeyName(world, server)))

const unlabelling = (world: World): Rewriting => rewriting(kindsOf(world, () => undefined))

const kindsOf = (world: World, keyNameOf: (server: EncryptingServer) => string | undefined): readonly EncryptedKind[] =>
  encryptingServers.flatMap(server => {
    const keyName = keyNameOf(server)
    return kindsToRewrite(world, server).map(kind => ({
      plural: kind.plural,
      objects: virtualObjectsOf(world, kind),
      ...(keyName !== undefined && { keyName }),
    }))
  })

const keeping = ({ garden }: World, mark: 'isReadable' | 'isRewritten'): RotationWork => {
  const merge = { metadata: { annotations: keptAnnotation(garden, mark) } }
  return { steps: [{ do: 'patch', target: garden, merge }], waits: [`encrypted resources: ${mark} is not written yet`] }
}

const marking = (steps: readonly Step[]): RotationWork => ({
  steps,
  waits: ['encryption keys: the markers of their rotation are not written yet'],
})

/**
 * The status of the encryption key and the encrypted resources, once all steps are ready. In phase Completing the lists of resources do not
 * change. Both lists are written, because each version of gardener-operator may read only one of them.
 */
export const encryptionStatus = (world: World): StatusChange => {
  const key = currentSecret(world, keyConfigOf('kube-apiserver'))
  if (!key) return {}
  const provider = { type: keyInFile(key).provider }
  const isKnown = hasChangedResources(world.garden) && phaseIn(world) !== 'Completing'
  if (!isKnown) return { encryptionAtRest: { provider } }
  const files = encryptedInFiles(world.garden)
  const resources = files.length > 0 ? files : null
  return { encryptionAtRest: { provider, resources }, encryptedResources: resources }
}

/** The markers for a snapshot, written after the snapshot was taken. */
export const snapshotMarks = (world: World, results: readonly StepResult[]): readonly Step[] =>
  results.some(({ step, error }) => step.do === 'takeSnapshot' && error === undefined)
    ? markSteps(world, encryptingServers.map(keyConfigOf), 'snapshotted')
    : []

const snapshot = (world: World): RotationWork => {
  const etcd = liveEtcd(world, virtualGarden('etcd-main'))
  return {
    steps: etcd ? [{ do: 'takeSnapshot', object: etcd }] : [],
    waits: [`Etcd ${namespace}/${virtualGarden('etcd-main')}: has no full snapshot with the new encryption keys yet`],
  }
}

/** The state of an API server. The server is rolled out if all replicas run with the file of this phase. */
const serverSeen = (world: World, server: EncryptingServer): ServerSeen => {
  const config = keyConfigOf(server)
  const deployment = findObject(world.runtime, apiServers[server].deployment)
  const file =
    deployment && unreadyText(deployment, world.runtime) === undefined ? mountedFile(world, deployment) : undefined
  const isRolledOut =
    file !== undefined &&
    currentSecret(world, config) !== undefined &&
    sameJson(fileRulesIn(file), fileRules(world, server))
  return {
    rolledOut: isRolledOut ? keysInPhase(world, config) : undefined,
    isPopulated: isMarked(world, config, 'populated'),
  }
}

const mountedFile = (world: World, deployment: KubeObject): KubeObject | undefined => {
  const volumes = mapsIn(valueAt(deployment.spec, 'template', 'spec', 'volumes'))
  const volume = volumes.find(({ name }) => name === 'etcd-encryption-secret')
  const name = String(mapOrEmpty(volume?.secret).secretName)
  return findObject(world.runtime, { apiVersion: 'v1', kind: 'Secret', namespace, name })
}
