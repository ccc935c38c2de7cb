// Settings of the runtime cluster, and resources of autoscalers. The resources must be cpu or memory, not negative, and enough for the
// component to start. Also the Secrets and ConfigMaps to which a Garden refers by name.
import { invalid, notSupported, required } from '../../../../shared/core/objects/field-error.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'
import { etcd, kubeAPIServerPath, settings } from '../paths.ts'
import { eachOnce, type GardenRule, invalidIf, mustBeOneOf, relation, requiredIf, rule, says } from '../rule.ts'

type Quantity = string | number
type Resources = Readonly<Record<string, Quantity>>

const scaled: readonly string[] = ['cpu', 'memory']

const floors: readonly { at: string; least: Resources }[] = [
  { at: `${etcd}.main.autoscaling.minAllowed`, least: { memory: '300M' } },
  { at: `${etcd}.events.autoscaling.minAllowed`, least: { memory: '60M' } },
  { at: `${kubeAPIServerPath}.autoscaling.minAllowed`, least: { cpu: '20m', memory: '200M' } },
]
const minAllowed = floors.map(({ at }) => at)
const entries = [...minAllowed, `${settings}.verticalPodAutoscaler.maxAllowed`].map(at => `${at}{}`)

const amount = (quantity: Quantity): number => quantityAmount(quantity) ?? 0

const underFloor = ({ at, least }: (typeof floors)[number]): GardenRule[] =>
  Object.entries(least).map(([name, floor]) =>
    rule<Quantity>({
      at: [`${at}.${name}`],
      check: quantity => amount(quantity) < amount(floor),
      error: ({ path, value }) => invalid(path, value, `must be at least ${floor}`),
    }),
  )

export const autoscalingRules: readonly GardenRule[] = [
  requiredIf<Resources>(minAllowed, resources => Object.keys(resources).length === 0, 'must name cpu or memory'),
  rule<Quantity>({
    at: entries,
    check: (_, { name }) => !scaled.includes(name),
    error: ({ path, name }) => notSupported(path, name, scaled),
  }),
  invalidIf<Quantity>(entries, quantity => amount(quantity) < 0, 'must be greater than or equal to 0'),
  ...floors.flatMap(underFloor),
]

const topologyAwareRouting = `${settings}.topologyAwareRouting.enabled`

/** Feature gates of Vertical Pod Autoscaler 1.4 to 1.7. */
const autoscalerGates: readonly string[] = ['CPUStartupBoost', 'InPlace', 'InPlaceOrRecreate', 'PerVPAConfig']

const trafficPolicies: readonly string[] = ['Cluster', 'Local']

export const settingsRules: readonly GardenRule[] = [
  relation<boolean>({
    at: [topologyAwareRouting],
    check: (isOn, { garden }) => isOn && (garden.spec.runtimeCluster.provider.zones ?? []).length < 2,
    error: says.forbidden('needs at least two zones in spec.runtimeCluster.provider.zones'),
  }),
  relation<boolean>({
    at: [topologyAwareRouting],
    check: (isOn, { garden }) => isOn && garden.spec.virtualCluster.controlPlane?.highAvailability === undefined,
    error: says.forbidden('needs spec.virtualCluster.controlPlane.highAvailability'),
  }),
  mustBeOneOf([`${settings}.loadBalancerServices.externalTrafficPolicy`], trafficPolicies),
  rule<boolean>({
    at: [`${settings}.verticalPodAutoscaler.featureGates{}`],
    check: (_, { name }) => !autoscalerGates.includes(name),
    error: ({ path, name }) => invalid(path, name, 'unknown feature gate'),
  }),
]

type Reference = { apiVersion?: string; kind: string; name: string }

const resources = 'spec.resources[]'
const references = `${resources}.resourceRef`

const referable: readonly string[] = ['v1, Kind=ConfigMap', 'v1, Kind=Secret']

/** The text form of a GroupVersionKind in Kubernetes. */
const kindOf = ({ apiVersion, kind }: Reference): string => `${apiVersion}, Kind=${kind}`

const hasVersion = ({ apiVersion }: Reference): boolean => Boolean(apiVersion)

/** Whether apiVersion has at most one slash, as in `v1` and `apps/v1`. */
const isReadable = ({ apiVersion = '' }: Reference): boolean => apiVersion.split('/').length <= 2

const namesAKind = (reference: Reference): boolean =>
  hasVersion(reference) && reference.kind !== '' && isReadable(reference)

export const resourceRules: readonly GardenRule[] = [
  requiredIf<string>(
    [`${resources}.name`, `${references}.kind`, `${references}.name`],
    text => text === '',
    'must not be empty',
  ),
  rule<Reference>({
    at: [references],
    check: reference => !hasVersion(reference),
    error: ({ path }) => required(`${path}.apiVersion`, 'must be v1'),
  }),
  rule<Reference>({
    at: [references],
    check: reference => !isReadable(reference),
    error: ({ path, value }) => invalid(`${path}.apiVersion`, value.apiVersion, 'must be <group>/<version> or v1'),
  }),
  rule<Reference>({
    at: [references],
    check: reference => namesAKind(reference) && !referable.includes(kindOf(reference)),
    error: ({ path, value }) => notSupported(path, kindOf(value), referable),
  }),
]

export const uniquenessRules: readonly GardenRule[] = [
  eachOnce({ at: ['spec.dns.providers'], field: 'name' }),
  eachOnce({ at: ['spec.extensions'], field: 'type' }),
  eachOnce({ at: ['spec.resources'], field: 'name' }),
]
