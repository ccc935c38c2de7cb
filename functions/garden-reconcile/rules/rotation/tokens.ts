// Tokens of the operation annotation that start or complete rotations, and which of them are permitted now. The webhook of garden-admission
// refuses the others with a message. Here they are only sorted out, for a Garden that was written without the webhook.
//
//   permittedTokens(garden, ['rotate-ca-start', 'rotate-ca-complete'])
//   // of a Garden that never rotated: { permitted: ['rotate-ca-start'], refused: ['rotate-ca-complete'] }
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { isDeleting } from '../../../../shared/core/objects/object.ts'

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
  readonly of: readonly PhasedCredential[]
  /** The token also replaces the password for observability. */
  readonly isObservabilityToo?: true
  /** The rotation completes as soon as it is Prepared, without another token. */
  readonly completesByItself?: true
}

export const oneShot = 'rotate-etcd-encryption-key'

const startAndComplete = (token: string, of: readonly PhasedCredential[]): [string, RotationToken][] => [
  [`${token}-start`, { does: 'start', of }],
  [`${token}-complete`, { does: 'complete', of }],
]

const rotationTokens: ReadonlyMap<string, RotationToken> = new Map<string, RotationToken>([
  ['rotate-credentials-start', { does: 'start', of: phasedCredentials, isObservabilityToo: true }],
  ['rotate-credentials-complete', { does: 'complete', of: phasedCredentials }],
  ...startAndComplete('rotate-ca', ['certificateAuthorities']),
  ...startAndComplete('rotate-serviceaccount-key', ['serviceAccountKey']),
  ...startAndComplete('rotate-workload-identity-key', ['workloadIdentityKey']),
  ...startAndComplete(oneShot, ['etcdEncryptionKey']),
  [oneShot, { does: 'start', of: ['etcdEncryptionKey'], completesByItself: true }],
  ['rotate-observability-credentials', { does: 'start', of: [], isObservabilityToo: true }],
])

/** The rotation that a permitted token asks for; undefined for `reconcile`, which asks for none. */
export const rotationOf = (token: string): RotationToken | undefined => rotationTokens.get(token)

/** The phase of a credential; '' before its first rotation. */
export const phaseOf = (garden: Garden, credential: PhasedCredential): RotationPhase =>
  garden.status?.credentials?.rotation?.[credential]?.phase ?? ''

/** All tokens are judged by the phases in the status, before any of them takes effect. */
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
  const isStepBesideOneShot = tokens.includes(oneShot) && token.startsWith(`${oneShot}-`)
  return !isStepBesideOneShot && rotation.of.every(credential => isInOrder(garden, rotation, credential))
}

const neededPhases = { start: ['', 'Completed'], complete: ['Prepared'] } as const

const isInOrder = (garden: Garden, rotation: RotationToken, credential: PhasedCredential): boolean =>
  neededPhases[rotation.does].some(phase => phase === phaseOf(garden, credential)) ||
  isDoneAlready(garden, rotation, credential)

/**
 * A token that completes all rotations is also permitted when the encryption key is Completing or Completed. It then leaves that key alone.
 */
export const isDoneAlready = (garden: Garden, { does, of }: RotationToken, credential: PhasedCredential): boolean =>
  does === 'complete' &&
  of.length > 1 &&
  credential === 'etcdEncryptionKey' &&
  ['Completing', 'Completed'].includes(phaseOf(garden, credential))
