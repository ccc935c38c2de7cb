// Annotation gardener.cloud/operation: operations must be known, and rotations must be in the right phase. Operations of the stored Garden
// are not checked again, because otherwise every update and deletion would be refused during a rotation.
import { operationAnnotation, operationsOf } from '../../../../shared/api/garden/operations.ts'
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { forbidden, notSupported } from '../../../../shared/core/objects/field-error.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { isDeleting } from '../../../../shared/core/objects/object.ts'
import { type GardenRule, type ReviewedGarden, relationOfEach } from '../rule.ts'

type Credential = 'certificateAuthorities' | 'serviceAccountKey' | 'etcdEncryptionKey' | 'workloadIdentityKey'

/** An operation that starts or completes a rotation of credentials. `called`: its name in errors. */
type Rotation = { does: 'start' | 'complete'; called: string; credentials: readonly Credential[] }

const ca = { called: 'CA rotation', credentials: ['certificateAuthorities'] } as const
const serviceAccount = { called: 'service account key rotation', credentials: ['serviceAccountKey'] } as const
const etcd = { called: 'ETCD encryption key rotation', credentials: ['etcdEncryptionKey'] } as const
const workloadIdentity = { called: 'workload identity key rotation', credentials: ['workloadIdentityKey'] } as const
const observability = { called: 'Observability credentials rotation', credentials: [] } as const
const every = {
  called: 'rotation of all credentials',
  credentials: ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'workloadIdentityKey'],
} as const

const rotations: ReadonlyMap<string, Rotation> = new Map<string, Rotation>([
  ['rotate-credentials-start', { does: 'start', ...every }],
  ['rotate-credentials-complete', { does: 'complete', ...every }],
  ['rotate-ca-start', { does: 'start', ...ca }],
  ['rotate-ca-complete', { does: 'complete', ...ca }],
  ['rotate-serviceaccount-key-start', { does: 'start', ...serviceAccount }],
  ['rotate-serviceaccount-key-complete', { does: 'complete', ...serviceAccount }],
  ['rotate-etcd-encryption-key-start', { does: 'start', ...etcd }],
  ['rotate-etcd-encryption-key-complete', { does: 'complete', ...etcd }],
  ['rotate-etcd-encryption-key', { does: 'start', ...etcd }],
  ['rotate-workload-identity-key-start', { does: 'start', ...workloadIdentity }],
  ['rotate-workload-identity-key-complete', { does: 'complete', ...workloadIdentity }],
  ['rotate-observability-credentials', { does: 'start', ...observability }],
])

const known: readonly string[] = ['reconcile', ...rotations.keys()].sort()

const oneShot = 'rotate-etcd-encryption-key'
const itsSteps: readonly string[] = [`${oneShot}-start`, `${oneShot}-complete`]

const phaseOf = (garden: Garden, credential: Credential): RotationPhase =>
  garden.status?.credentials?.rotation?.[credential]?.phase ?? ''

/** The phase that each step requires. */
const needed = { start: 'Completed', complete: 'Prepared' } as const

/** The operation that completes all rotations skips an encryption key that is already completing or completed. */
const isDoneAlready = (garden: Garden, { does, credentials }: Rotation, credential: Credential): boolean =>
  does === 'complete' &&
  credentials === every.credentials &&
  credential === 'etcdEncryptionKey' &&
  ['Completing', 'Completed'].includes(phaseOf(garden, credential))

const isInPhase = (garden: Garden, rotation: Rotation, credential: Credential): boolean => {
  const phase = phaseOf(garden, credential)
  const isNeverBegun = rotation.does === 'start' && phase === ''
  return isNeverBegun || phase === needed[rotation.does] || isDoneAlready(garden, rotation, credential)
}

const added = ({ garden, before }: ReviewedGarden): string[] => {
  const asked = before ? operationsOf(before) : []
  return operationsOf(garden).filter(token => !asked.includes(token))
}

const field = `metadata.annotations[${operationAnnotation}]`

const ofAdded = <Finding>(row: {
  check: (tokens: readonly string[], garden: Garden) => Iterable<Finding>
  error: (finding: Finding) => ReturnType<typeof forbidden>
}): GardenRule =>
  relationOfEach<object, Finding>({
    at: ['metadata'],
    check: (_, subject) => row.check(added(subject), subject.garden),
    error: (_, finding) => row.error(finding),
  })

const isOneShotOrStep = (token: string): boolean => token === oneShot || itsSteps.includes(token)

const stepsBesideOneShot = (tokens: readonly string[]): string[] =>
  tokens.includes(oneShot) ? tokens.filter(token => itsSteps.includes(token)) : []

const rotationsAmong = (tokens: readonly string[]): Rotation[] => tokens.flatMap(token => rotations.get(token) ?? [])

export const operationRules: readonly GardenRule[] = [
  ofAdded({
    check: tokens => tokens.filter(token => !known.includes(token)),
    error: token => notSupported(field, token, known),
  }),
  ofAdded({
    check: (tokens, garden) => (isDeleting(garden) ? rotationsAmong(tokens) : []),
    error: ({ does, called }) => forbidden(field, `cannot ${does} ${called} if garden has deletion timestamp`),
  }),
  ofAdded({
    check: (tokens, garden) =>
      rotationsAmong(tokens).flatMap(rotation =>
        rotation.credentials
          .filter(credential => !isInPhase(garden, rotation, credential))
          .map(credential => ({ rotation, credential })),
      ),
    error: ({ rotation: { does, called }, credential }) =>
      forbidden(
        field,
        `cannot ${does} ${called} if .status.credentials.rotation.${credential}.phase is not '${needed[does]}'`,
      ),
  }),
  ofAdded({
    check: (tokens, garden) => (tokens.some(isOneShotOrStep) ? stepsBesideOneShot(operationsOf(garden)) : []),
    error: token => forbidden(field, `'${oneShot}' cannot be asked for together with '${token}'`),
  }),
]
