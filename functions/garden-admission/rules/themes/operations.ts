// Annotation gardener.cloud/operation: operations must be known, and rotations must be in the right phase. Operations of the stored Garden
// are not checked again, because otherwise every update and deletion would be refused during a rotation.
import { operationAnnotation, operationsOf } from '../../../../shared/api/garden/operations.ts'
import { forbidden, notSupported } from '../../../../shared/core/objects/field-error.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import {
  isInOrder,
  neededPhases,
  oneShot,
  oneShotSteps,
  type RotatedCredential,
  type RotationToken,
  rotationTokens,
  stepsBesideOneShot,
} from '../../../../shared/core/objects/garden-rotation.ts'
import { isDeleting } from '../../../../shared/core/objects/object.ts'
import { type GardenRule, type ReviewedGarden, relationOfEach } from '../rule.ts'

/** The names of rotations in errors. */
const names: Readonly<Record<RotatedCredential, string>> = {
  certificateAuthorities: 'CA rotation',
  serviceAccountKey: 'service account key rotation',
  etcdEncryptionKey: 'ETCD encryption key rotation',
  workloadIdentityKey: 'workload identity key rotation',
  observability: 'Observability credentials rotation',
}

const textOf = ({ does, credentials: [first, ...others] }: RotationToken): string =>
  `cannot ${does} ${others.length > 0 ? 'rotation of all credentials' : names[first ?? 'observability']}`

const known: readonly string[] = ['reconcile', ...rotationTokens.keys()].sort()

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

const isOneShotOrStep = (token: string): boolean => token === oneShot || oneShotSteps.includes(token)

const rotationsAmong = (tokens: readonly string[]): RotationToken[] =>
  tokens.flatMap(token => rotationTokens.get(token) ?? [])

export const operationRules: readonly GardenRule[] = [
  ofAdded({
    check: tokens => tokens.filter(token => !known.includes(token)),
    error: token => notSupported(field, token, known),
  }),
  ofAdded({
    check: (tokens, garden) => (isDeleting(garden) ? rotationsAmong(tokens) : []),
    error: rotation => forbidden(field, `${textOf(rotation)} if garden has deletion timestamp`),
  }),
  ofAdded({
    check: (tokens, garden) =>
      rotationsAmong(tokens).flatMap(rotation =>
        rotation.credentials
          .filter(credential => !isInOrder(garden, rotation, credential))
          .map(credential => ({ rotation, credential })),
      ),
    error: ({ rotation, credential }) => {
      const path = `.status.credentials.rotation.${credential}.phase`
      return forbidden(field, `${textOf(rotation)} if ${path} is not '${neededPhases[rotation.does].at(-1)}'`)
    },
  }),
  ofAdded({
    check: (tokens, garden) => (tokens.some(isOneShotOrStep) ? stepsBesideOneShot(operationsOf(garden)) : []),
    error: token => forbidden(field, `'${oneShot}' cannot be asked for together with '${token}'`),
  }),
]
