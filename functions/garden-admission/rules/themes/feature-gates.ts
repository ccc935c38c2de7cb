// Feature gates: each gate must be known in the Kubernetes version, and must not differ from a locked value.
import { gardenerGates } from '../../../../shared/api/garden/gardener-names.ts'
import { featureGateKnown, featureGateLock, type Known } from '../../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid } from '../../../../shared/core/objects/field-error.ts'
import { gardenerPath, kubeAPIServerPath, kubeControllerManager } from '../paths.ts'
import { type FieldPlace, type GardenRule, rule, says } from '../rule.ts'

const ofKubernetes = [`${kubeAPIServerPath}.featureGates{}`, `${kubeControllerManager}.featureGates{}`]

const ofGardener = ['gardenerAPIServer', 'gardenerControllerManager', 'gardenerScheduler'].map(
  component => `${gardenerPath}.${component}.featureGates{}`,
)

type AtVersion = Pick<FieldPlace, 'minor'>

/** Another rule refuses unsupported versions. */
const knownTo = ({ minor }: AtVersion, gate: string): Known =>
  minor === undefined ? 'here' : featureGateKnown(gate, minor)

const lockIn = ({ minor = '' }: AtVersion, gate: string): boolean | undefined => featureGateLock(gate, minor)

const gardenerLock = (gate: string): boolean | undefined => gardenerGates.get(gate)?.lockedTo

const isAgainst = (value: boolean, lock: boolean | undefined): boolean => lock !== undefined && value !== lock

export const featureGateRules: readonly GardenRule[] = [
  rule<boolean>({
    at: ofKubernetes,
    check: (_, place) => knownTo(place, place.name) === 'never',
    error: ({ path, name }) => invalid(path, name, 'unknown feature gate'),
  }),
  rule<boolean>({
    at: ofKubernetes,
    check: (_, place) => knownTo(place, place.name) === 'in another version',
    error: ({ path, minor }) => forbidden(path, `not supported in Kubernetes ${minor}`),
  }),
  rule<boolean>({
    at: ofKubernetes,
    check: (value, place) => isAgainst(value, lockIn(place, place.name)),
    error: place => forbidden(place.path, `is locked to ${lockIn(place, place.name)} in Kubernetes ${place.minor}`),
  }),
  rule<boolean>({
    at: ofGardener,
    check: (_, { name }) => !gardenerGates.has(name),
    error: says.forbidden('not supported by Gardener'),
  }),
  rule<boolean>({
    at: ofGardener,
    check: (value, { name }) => isAgainst(value, gardenerLock(name)),
    error: ({ path, name }) => forbidden(path, `is locked to ${gardenerLock(name)}`),
  }),
]
