// Feature gates: known to the version that is to run, and not set against what it is locked to.
import { gardenerGates } from '../../../shared/api/garden/gardener-names.ts'
import { featureGateKnown, featureGateLock, type Known } from '../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid } from '../../../shared/core/field-error.ts'
import { minorOf } from './kubernetes-version.ts'
import { gardener, kubeAPIServer, kubeControllerManager } from './paths.ts'
import { type Rule, rule, type Subject, says } from './rule.ts'

const ofKubernetes = [`${kubeAPIServer}.featureGates{}`, `${kubeControllerManager}.featureGates{}`]

const ofGardener = ['gardenerAPIServer', 'gardenerControllerManager', 'gardenerScheduler'].map(
  component => `${gardener}.${component}.featureGates{}`,
)

const knownTo = (subject: Subject, gate: string): Known => {
  const minor = minorOf(subject)
  return minor === undefined ? 'here' : featureGateKnown(gate, minor)
}

const lockIn = (subject: Subject, gate: string): boolean | undefined => featureGateLock(gate, minorOf(subject) ?? '')

const gardenerLock = (gate: string): boolean | undefined => gardenerGates.get(gate)?.lockedTo

const isAgainst = (value: boolean, lock: boolean | undefined): boolean => lock !== undefined && value !== lock

export const featureGateRules: readonly Rule[] = [
  rule<boolean>({
    at: ofKubernetes,
    check: (_, subject, { name }) => knownTo(subject, name) === 'never',
    error: ({ path, name }) => invalid(path, name, 'unknown feature gate'),
  }),
  rule<boolean>({
    at: ofKubernetes,
    check: (_, subject, { name }) => knownTo(subject, name) === 'in another version',
    error: ({ path }, subject) => forbidden(path, `not supported in Kubernetes ${minorOf(subject)}`),
  }),
  rule<boolean>({
    at: ofKubernetes,
    check: (value, subject, { name }) => isAgainst(value, lockIn(subject, name)),
    error: ({ path, name }, subject) =>
      forbidden(path, `is locked to ${lockIn(subject, name)} in Kubernetes ${minorOf(subject)}`),
  }),
  rule<boolean>({
    at: ofGardener,
    check: (_, __, { name }) => !gardenerGates.has(name),
    error: says.forbidden('not supported by Gardener'),
  }),
  rule<boolean>({
    at: ofGardener,
    check: (value, _, { name }) => isAgainst(value, gardenerLock(name)),
    error: ({ path, name }) => forbidden(path, `is locked to ${gardenerLock(name)}`),
  }),
]
