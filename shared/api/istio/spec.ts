// spec of an Istio. The fields have the same order as in the annotation with the last applied configuration.
import {
  about,
  atomic,
  atomicList,
  fieldsInOrder,
  flag,
  held,
  int32,
  labelSelector,
  list,
  mapOf,
  object,
  oneOf,
  options,
  type Schema,
  text,
} from '../schema.ts'

// Affinity as in core/v1, with Go's order of fields.

const requirement = object({ key: text, operator: text }, { values: atomicList(text) })

const nodeSelectorTerm = atomic(
  options({ matchExpressions: atomicList(requirement), matchFields: atomicList(requirement) }),
)

const podAffinityTerm = fieldsInOrder(
  object(
    { topologyKey: text },
    {
      labelSelector,
      namespaces: atomicList(text),
      namespaceSelector: labelSelector,
      matchLabelKeys: atomicList(text),
      mismatchLabelKeys: atomicList(text),
    },
  ),
  'labelSelector',
  'namespaces',
  'topologyKey',
)

const scheduling = <Required, Preferred>(required: Schema<Required>, preferred: Schema<Preferred>) =>
  options({
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: atomicList(preferred),
  })

const podAffinity = scheduling(atomicList(podAffinityTerm), object({ weight: int32, podAffinityTerm }))

const affinity = options({
  nodeAffinity: scheduling(
    atomic(object({ nodeSelectorTerms: atomicList(nodeSelectorTerm) })),
    object({ weight: int32, preference: nodeSelectorTerm }),
  ),
  podAffinity,
  podAntiAffinity: podAffinity,
})

const headers = options({
  inCheck: about('Headers of the request to the authorizer.', options({ include: list(text), add: mapOf(text) })),
  toUpstream: about('Headers of the request to the workload.', options({ onAllow: list(text) })),
  toDownstream: about('Headers of the answer to the client.', options({ onAllow: list(text), onDeny: list(text) })),
})

const authorizer = fieldsInOrder(
  object(
    { name: about('Name under which an AuthorizationPolicy refers to the authorizer.', text), port: int32 },
    {
      service: about('Service of the authorizer, as <namespace>/<host> or <host>.', text),
      headers,
      pathPrefix: text,
      timeout: about('A Go duration such as 1.5s.', text),
    },
  ),
  'name',
  'service',
  'port',
)

const config = options({
  numTrustedProxies: about('Number of trusted proxies in front of the ingress gateway.', {
    ...({ type: 'integer' } as Schema<number>),
    minimum: 0,
    maximum: 4_294_967_295,
  }),
  forwardClientCertDetails: about(
    'How the ingress gateway handles the header x-forwarded-client-cert.',
    oneOf('APPEND_FORWARD', 'SANITIZE_SET', 'SANITIZE', 'ALWAYS_FORWARD_ONLY', 'FORWARD_ONLY'),
  ),
  authorizers: about('External authorizers that decide whether a request is allowed.', list(authorizer)),
  gatewayExternalTrafficPolicy: oneOf('Local', 'Cluster'),
  telemetry: options({
    metrics: options({ prometheusMerge: about('true: sidecars also serve the metrics of their workload.', flag) }),
  }),
  trustDomain: {
    ...text,
    minLength: 1,
    maxLength: 255,
    pattern: '^[a-z0-9]*([a-z0-9-_]*)?(\\.[a-z0-9]*([a-z0-9-_]*[a-z0-9]*)?)*$',
  },
  enableDNSProxying: about('true: sidecars answer the DNS queries of their workload.', flag),
  proxyStatsMatcher: options({
    inclusionRegexps: about('Additional statistics that proxies report, as regular expressions (RE2).', list(text)),
  }),
})

const replicas: Schema<number> = { ...int32, minimum: 0, maximum: 2_147_483_647 }

const share = (pattern: string): Schema<number | string> =>
  held(
    { pattern, 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    {
      rule: '(type(self) == int ? self >= 0 && self <= 2147483647: self.size() >= 0)',
      message: 'must be a number from 0 to 2147483647, or a text',
    },
  )

const claims = options({
  cpu: { ...text, pattern: '^([0-9]+m?|[0-9]\\.[0-9]{1,3})$' },
  memory: {
    ...text,
    pattern: '^[0-9]+(((\\.[0-9]+)?(E|P|T|G|M|k|Ei|Pi|Ti|Gi|Mi|Ki|m)?)|(e[0-9]+))$',
  },
})

const resources = options({ limits: claims, requests: claims })

const workload = options({
  hpaSpec: options({ maxReplicas: replicas, minReplicas: replicas }),
  strategy: object({
    rollingUpdate: options({
      maxSurge: share('^[0-9]+%?$'),
      maxUnavailable: share('^((100|[0-9]{1,2})%|[0-9]+)$'),
    }),
  }),
  resources,
})

const components = options({
  pilot: object({ k8s: workload }),
  ingressGateway: object({ k8s: workload }),
  cni: object({ k8s: options({ affinity, resources }) }),
  proxy: object({ k8s: options({ resources }) }),
  egressGateway: options({ k8s: workload, enabled: flag }),
})

export const istioSpec = about(
  'Desired state of Istio.',
  options({
    config: about('Settings of the mesh.', config),
    components: about('Settings of the workloads of Istio.', components),
    experimental: about(
      'Features that only the experimental image flavour supports.',
      options({
        pilot: options({ enableAlphaGatewayAPI: flag, enableMultiNetworkDiscoverGatewayAPI: flag }),
        enableAmbient: flag,
      }),
    ),
    compatibilityMode: about('true: sidecars behave like those of the previous minor version.', flag),
    networkPoliciesEnabled: about('true: NetworkPolicies allow only the traffic that the mesh needs.', flag),
  }),
)
