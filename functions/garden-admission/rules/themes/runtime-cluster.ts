// Settings of the runtime cluster, and resources of autoscalers. The resources must be cpu or memory, not negative, and enough for the
// component to start.
import { invalid, notSupported } from '../../../../shared/core/objects/field-error.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'
import { etcd, kubeAPIServerPath, settings } from '../paths.ts'
import { type GardenRule, invalidIf, mustBeOneOf, relation, requiredIf, rule, says } from '../rule.ts'

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
