// The Kubernetes version of the virtual garden must be supported, without downgrades and skipped minor versions. The APIs that runtimeConfig
// switches and the feature gates must be known in this version.
import { gardenerGates, gardenerNeededAPIs } from '../../../../shared/api/garden/gardener-names.ts'
import {
  apiKnown,
  featureGateKnown,
  featureGateLock,
  type Known,
  kubernetesMinors,
  parseVersion,
  supportedMinor,
  type Version,
} from '../../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid } from '../../../../shared/core/objects/field-error.ts'
import { comparePrereleases } from '../../../../shared/render/template/functions/versions.ts'
import { gardenerPath, kubeAPIServerPath, kubeControllerManager, kubernetes } from '../paths.ts'
import {
  type FieldPlace,
  forbiddenIf,
  type GardenRule,
  ownerPath,
  type ReviewedGarden,
  relation,
  rule,
  says,
} from '../rule.ts'

type Change = { from: Version; to: Version }

const changeOf = ({ garden, before }: ReviewedGarden): Change | undefined => {
  const from = before && parseVersion(before.spec.virtualCluster.kubernetes.version)
  const to = parseVersion(garden.spec.virtualCluster.kubernetes.version)
  return from && to && { from, to }
}

const isDowngrade = ({ from, to }: Change): boolean =>
  (to.major - from.major ||
    to.minor - from.minor ||
    to.patch - from.patch ||
    comparePrereleases(to.prerelease, from.prerelease)) < 0

const skips = ({ from, to }: Change): boolean => to.major > from.major || to.minor - from.minor > 1

export const versionRules: readonly GardenRule[] = [
  rule<string>({
    at: [`${kubernetes}.version`],
    check: version => supportedMinor(version) === undefined,
    error: says.notSupported(kubernetesMinors),
  }),
  relation<string>({
    at: [`${kubernetes}.version`],
    check: (_, subject) => isTrueOf(changeOf(subject), isDowngrade),
    error: says.forbidden('kubernetes version downgrade is not supported'),
  }),
  relation<string>({
    at: [`${kubernetes}.version`],
    check: (_, subject) => isTrueOf(changeOf(subject), skips),
    error: says.forbidden('kubernetes version upgrade cannot skip a minor version'),
  }),
]

const isTrueOf = (change: Change | undefined, test: (change: Change) => boolean): boolean =>
  change !== undefined && test(change)

const entries = [`${kubeAPIServerPath}.runtimeConfig{}`]

/** Keys for all APIs, or all APIs of one stage. */
const stages: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha']
const neededStages: readonly string[] = ['api/all', 'api/ga']

/** Matches `v1`, `apps/v1` and `apps/v1/deployments`. Commas and `=` are excluded, because they are separators of the flag. */
const form = /^[^/\s,="]+(\/[^/\s,="]+){0,2}$/

const isServed = ({ name, minor }: FieldPlace): boolean =>
  minor === undefined || stages.includes(name) || apiKnown(name, minor) === 'here'

/** Whether the key is a needed API, a version with a needed resource, or a resource of a needed version. */
const isNeeded = (key: string): boolean =>
  neededStages.includes(key) ||
  gardenerNeededAPIs.some(needed => needed === key || needed.startsWith(`${key}/`) || key.startsWith(`${needed}/`))

/** The path of a key in the form of Kubernetes. */
const keyPath = (place: FieldPlace): string => `${ownerPath(place)}[${place.name}]`

export const runtimeConfigRules: readonly GardenRule[] = [
  rule<boolean>({
    at: entries,
    check: (_, { name }) => !form.test(name),
    error: place => invalid(keyPath(place), place.name, 'must be <group>/<version> or v1, with /<resource> or without'),
  }),
  rule<boolean>({
    at: entries,
    check: (_, place) => form.test(place.name) && !isServed(place),
    error: place => invalid(keyPath(place), place.name, `is not an API that Kubernetes ${place.minor} serves`),
  }),
  rule<boolean>({
    at: entries,
    check: (isOn, { name }) => !isOn && isNeeded(name),
    error: place => forbidden(keyPath(place), `${place.name} cannot be turned off: Gardener needs it`),
  }),
]

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
  forbiddenIf<boolean>(ofGardener, (_, { name }) => !gardenerGates.has(name), 'not supported by Gardener'),
  rule<boolean>({
    at: ofGardener,
    check: (value, { name }) => isAgainst(value, gardenerLock(name)),
    error: ({ path, name }) => forbidden(path, `is locked to ${gardenerLock(name)}`),
  }),
]
