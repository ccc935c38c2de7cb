// Settings of the runtime cluster.
import { invalid } from '../../../../shared/core/objects/field-error.ts'
import { settings } from '../paths.ts'
import { type GardenRule, relation, rule, says } from '../rule.ts'

const topologyAwareRouting = `${settings}.topologyAwareRouting.enabled`

/** Of the Vertical Pod Autoscaler 1.4 to 1.7. */
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
  rule<string>({
    at: [`${settings}.loadBalancerServices.externalTrafficPolicy`],
    check: policy => !trafficPolicies.includes(policy),
    error: says.notSupported(trafficPolicies),
  }),
  rule<boolean>({
    at: [`${settings}.verticalPodAutoscaler.featureGates{}`],
    check: (_, { name }) => !autoscalerGates.includes(name),
    error: ({ path, name }) => invalid(path, name, 'unknown feature gate'),
  }),
]
