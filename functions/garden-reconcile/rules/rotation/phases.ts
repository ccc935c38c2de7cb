// The phases of rotations, a small state machine per credential: '' or Completed, Preparing, Prepared, Completing, Completed. Users start
// and complete rotations. Preparing and Completing end when all steps are ready. Only phases and times are stored, and each change is one
// patch of the status. So nothing is lost or repeated if a call is killed before or after the patch.
//
//   rotationStart(garden, ['rotate-ca-start'], now)
//   // { change: { certificateAuthorities: { phase: 'Preparing', lastInitiationTime: … } }, refused: [] }
//   rotationAfter(garden, isRunReady, now) // { certificateAuthorities: { phase: 'Prepared', lastInitiationFinishedTime: … } }
import type { StatusChange } from '../../../../shared/core/decisions/plan.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import {
  isDoneAlready,
  type PhasedCredential,
  permittedTokens,
  phasedCredentials,
  phaseOf,
  type RotatedCredential,
  type RotationToken,
  rotatedCredentials,
  rotationTokens,
} from '../../../../shared/core/objects/garden-rotation.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'

/** A merge patch of status.credentials.rotation; null removes a field. */
type RotationChange = StatusChange

type RotationStart = {
  readonly change: RotationChange
  /** Tokens that are not permitted now. Each token is dropped with a warning Event. */
  readonly refused: readonly string[]
}

type Move = readonly [RotatedCredential, StatusChange]

/** Called when an operation starts, with all tokens of the annotation. A rotation that completes automatically needs no token. */
export const rotationStart = (garden: Garden, tokens: readonly string[], now: Date): RotationStart => {
  const { permitted, refused } = permittedTokens(garden, tokens)
  const times = { now: kubeTime(now), initiation: initiationTime(garden, now) }
  const asked = permitted.flatMap(token => rotationTokens.get(token) ?? [])
  const moves = [
    ...(isCompletionDue(garden) ? [completing('etcdEncryptionKey', times)] : []),
    ...asked.flatMap(rotation => movesOf(garden, rotation, times)),
  ]
  return { change: Object.fromEntries(moves), refused }
}

/** The encryption key is Prepared and its rotation completes automatically, so the next operation starts immediately. */
export const isCompletionDue = (garden: Garden): boolean =>
  phaseOf(garden, 'etcdEncryptionKey') === 'Prepared' &&
  garden.status?.credentials?.rotation?.etcdEncryptionKey?.autoCompleteAfterPrepared === true

/** The phases after a run of all steps. `garden` has the phases from before the run. If the run is not ready, the phases do not change. */
export const rotationAfter = (garden: Garden, isRunReady: boolean, now: Date): RotationChange => {
  if (!isRunReady) return {}
  const time = kubeTime(now)
  const moves = phasedCredentials.flatMap((credential): Move[] => {
    const after = whenReady[phaseOf(garden, credential)]
    return after ? [[credential, after(time, credential)]] : []
  })
  const observability: Move[] = isObservabilityOpen(garden) ? [['observability', { lastCompletionTime: time }]] : []
  return Object.fromEntries([...moves, ...observability])
}

/** Times of a rotation, in whole seconds. */
type Times = { readonly now: string; readonly initiation: string }

const movesOf = (garden: Garden, rotation: RotationToken, times: Times): readonly Move[] => {
  const { does, credentials, isObservabilityToo, completesByItself } = rotation
  const moving = credentials.filter(credential => !isDoneAlready(garden, rotation, credential))
  if (does === 'complete') return moving.map(credential => completing(credential, times))
  const preparing = { phase: 'Preparing', lastInitiationTime: times.initiation, ...noMiddleTimes }
  return [
    ...moving.map(
      (credential): Move => [
        credential,
        {
          ...preparing,
          ...(credential === 'etcdEncryptionKey' && { autoCompleteAfterPrepared: completesByItself ?? null }),
        },
      ],
    ),
    ...(isObservabilityToo ? [['observability', { lastInitiationTime: times.initiation }] as Move] : []),
  ]
}

const noMiddleTimes = { lastInitiationFinishedTime: null, lastCompletionTriggeredTime: null }

const completing = (credential: PhasedCredential, { now }: Times): Move => [
  credential,
  { phase: 'Completing', lastCompletionTriggeredTime: now },
]

type Following = (time: string, credential: PhasedCredential) => StatusChange

/** The phase that follows when a run of all steps is ready. From other phases, only a user continues. */
const whenReady: Readonly<Record<string, Following | undefined>> = {
  Preparing: time => ({ phase: 'Prepared', lastInitiationFinishedTime: time }),
  Completing: (time, credential) => ({
    phase: 'Completed',
    lastCompletionTime: time,
    ...noMiddleTimes,
    ...(credential === 'etcdEncryptionKey' && { autoCompleteAfterPrepared: null }),
  }),
}

/**
 * The names of Secrets contain this second, so the second must be later than in every earlier rotation. Otherwise, after a recent rotation
 * or after the clock was set back, the former key would have the new name and would be taken for the new key.
 */
const initiationTime = (garden: Garden, now: Date): string => {
  const rotation = garden.status?.credentials?.rotation
  const former = rotatedCredentials.map(credential => Date.parse(rotation?.[credential]?.lastInitiationTime ?? ''))
  const earliest = Math.max(...former.filter(Number.isFinite), Number.NEGATIVE_INFINITY) + 1000
  return kubeTime(new Date(Math.max(now.getTime(), earliest)))
}

/** A new password was requested, and not all steps have been ready since. */
const isObservabilityOpen = (garden: Garden): boolean => {
  const { lastInitiationTime, lastCompletionTime } = garden.status?.credentials?.rotation?.observability ?? {}
  if (lastInitiationTime === undefined) return false
  return lastCompletionTime === undefined || Date.parse(lastCompletionTime) < Date.parse(lastInitiationTime)
}
