// spec.runtimeCluster of a Garden: the cluster its control plane runs in.
import { about, defaulted, flag, list, mapOf, object, oneOf, options, quantity, raw, text } from '../schema.ts'
import { domains, featureGates, idle, networks, olderDomain, resourceList } from './parts.ts'

const ingress = object(
  {
    controller: object(
      { kind: oneOf('nginx') },
      { providerConfig: about('Settings laid over the defaults of the controller.', raw) },
    ),
  },
  { domains, domain: olderDomain },
)

const networking = object(
  { pods: networks, services: networks },
  {
    ipFamilies: list(text),
    nodes: about('CIDRs. Further ones may be appended, none may be removed.', list(text)),
    blockCIDRs: about('Networks that no component may reach.', list(text)),
  },
)

const settings = options({
  loadBalancerServices: options({
    annotations: about('Put on every Service of type LoadBalancer.', mapOf(text)),
    externalTrafficPolicy: text,
    proxyProtocol: idle(object({ allowed: flag })),
  }),
  verticalPodAutoscaler: options({
    enabled: about('Turn it off only when the cluster has one of its own.', defaulted(flag, true)),
    featureGates,
    maxAllowed: about('The most an autoscaler may recommend.', resourceList),
  }),
  topologyAwareRouting: object({ enabled: flag }),
  persistentVolumeClaimAutoscaler: idle(object({ enabled: flag })),
})

export const runtimeCluster = about(
  'The cluster in which the control plane of the Garden runs.',
  object(
    {
      ingress: about('Where the web pages of the Garden are reached.', ingress),
      networking: about('The networks of the runtime cluster.', networking),
      provider: options({ region: idle(text), zones: about('Availability zones to spread over.', list(text)) }),
    },
    { settings, volume: idle(options({ minimumSize: quantity })) },
  ),
)
