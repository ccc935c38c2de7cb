// Decides which tokens of the operation annotation are permitted now. The tokens start or complete rotations. garden-admission refuses all
// other tokens with a message. garden-reconcile skips them, in case the Garden was written without the webhook.
//
//   permittedTokens(garden, ['rotate-ca-start', 'rotate-ca-complete'])
//   // of a Garden that never rotated: { permitted: ['rotate-ca-start'], refused: ['rotate-ca-complete'] }
import type { RotationPhase } from '../../api/garden/status.ts'
import type { Garden } from './garden.ts'
import { isDeleting } from './object.ts'

export const phasedCredentials = [
  'certificateAuthorities',
  'serviceAccountKey',
  'etcdEncryptionKey',
  'workloadIdentityKey',
] as const
export type PhasedCredential = (typeof phasedCredentials)[number]

/** All rotated credentials. The password for observability has no phases: it is replaced at once. */
export const rotatedCredentials = [...phasedCredentials, 'observability'] as const
export type RotatedCredential = (typeof rotatedCredentials)[number]

export type RotationToken = {
  readonly does: 'start' | 'complete'
  readonly credentials: readonly PhasedCredential[]
  /** The token also replaces the password for observability. */
  readonly isObservabilityToo?: true
  /** The rotation completes as soon as it is Prepared, without another token. */
  readonly completesByItself?: true
}

export const oneShot = 'rotate-etcd-encryption-key'
export const oneShotSteps: readonly string[] = [`${oneShot}-start`, `${oneShot}-complete`]

const startAndComplete = (token: string, credentials: readonly PhasedCredential[]): [string, RotationToken][] => [
  [`${token}-start`, { does: 'start', credentials }],
  [`${token}-complete`, { does: 'complete', credentials }],
]

export const rotationTokens: ReadonlyMap<string, RotationToken> = new Map<string, RotationToken>([
  ['rotate-credentials-start', { does: 'start', credentials: phasedCredentials, isObservabilityToo: true }],
  ['rotate-credentials-complete', { does: 'complete', credentials: phasedCredentials }],
  ...startAndComplete('rotate-ca', ['certificateAuthorities']),
  ...startAndComplete('rotate-serviceaccount-key', ['serviceAccountKey']),
  ...startAndComplete('rotate-workload-identity-key', ['workloadIdentityKey']),
  ...startAndComplete(oneShot, ['etcdEncryptionKey']),
  [oneShot, { does: 'start', credentials: ['etcdEncryptionKey'], completesByItself: true }],
  ['rotate-observability-credentials', { does: 'start', credentials: [], isObservabilityToo: true }],
])

/** The phase of a credential; '' before its first rotation. */
export const phaseOf = (garden: Garden, credential: PhasedCredential): RotationPhase =>
  garden.status?.credentials?.rotation?.[credential]?.phase ?? ''

/** The tokens that must not be combined with the one-shot rotation, because this rotation completes by itself. */
export const stepsBesideOneShot = (tokens: readonly string[]): readonly string[] =>
  tokens.includes(oneShot) ? tokens.filter(token => oneShotSteps.includes(token)) : []

/** Checks all tokens against the phases in the status. No token affects the check of another token, except the one-shot rotation. */
export const permittedTokens = (
  garden: Garden,
  tokens: readonly string[],
): { readonly permitted: readonly string[]; readonly refused: readonly string[] } => ({
  permitted: tokens.filter(token => isPermitted(garden, tokens, token)),
  refused: tokens.filter(token => !isPermitted(garden, tokens, token)),
})

const isPermitted = (garden: Garden, tokens: readonly string[], token: string): boolean => {
  if (token === 'reconcile') return true
  const rotation = rotationTokens.get(token)
  if (!rotation || isDeleting(garden)) return false
  return (
    !stepsBesideOneShot(tokens).includes(token) &&
    rotation.credentials.every(credential => isInOrder(garden, rotation, credential))
  )
}

/** A rotation starts or completes only from these phases. */
export const neededPhases = { start: ['', 'Completed'], complete: ['Prepared'] } as const

export const isInOrder = (garden: Garden, rotation: RotationToken, credential: PhasedCredential): boolean =>
  neededPhases[rotation.does].some(phase => phase === phaseOf(garden, credential)) ||
  isDoneAlready(garden, rotation, credential)

/** A token that completes all rotations is also permitted when the encryption key is Completing or Completed, and then skips this key. */
export const isDoneAlready = (
  garden: Garden,
  { does, credentials }: RotationToken,
  credential: PhasedCredential,
): boolean =>
  does === 'complete' &&
  credentials.length > 1 &&
  credential === 'etcdEncryptionKey' &&
  ['Completing', 'Completed'].includes(phaseOf(garden, credential))
