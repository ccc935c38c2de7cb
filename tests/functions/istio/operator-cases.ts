// What is set in an Istio, row by row of the table of its fields. What comes of each is in golden/operator.
import type { OperatorInput } from '../../../functions/istio/desired/wanted-operator.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { cluster } from '../../make/istio/istio-operator.ts'

export type OperatorCase = { readonly spec?: JsonMap; readonly change?: Partial<OperatorInput> }

const resources = {
  requests: { cpu: '123m', memory: '124Mi' },
  limits: { cpu: '1.25', memory: '1e9' },
}

const k8s = {
  hpaSpec: { minReplicas: 1, maxReplicas: 2_147_483_647 },
  strategy: { rollingUpdate: { maxSurge: '33%', maxUnavailable: 1 } },
  resources,
}

const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['mesh'] }] }],
    },
  },
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'noisy' } } },
    ],
  },
}

const authorizers = [
  {
    name: 'first',
    service: 'first.auth.svc.cluster.local',
    port: 8000,
    pathPrefix: '/a&b',
    timeout: '1.5s',
    headers: {
      inCheck: { include: ['authorization', 'cookie'], add: { 'x-auth': 'first' } },
      toUpstream: { onAllow: ['x-user'] },
      toDownstream: { onAllow: ['set-cookie'], onDeny: ['www-authenticate'] },
    },
  },
  {
    name: 'second',
    service: 'auth/second',
    port: 9000,
    headers: {
      inCheck: { include: ['x-b'], add: { 'x-c': 'd', 'x-e': 'f' } },
      toUpstream: { onAllow: ['x-g'] },
      toDownstream: { onAllow: ['x-h'], onDeny: ['x-i', 'x-j'] },
    },
  },
]

/** A row of the table each, by the name of its golden file. */
export const rowCases: Readonly<Record<string, OperatorCase>> = {
  'number of trusted proxies': { spec: { config: { numTrustedProxies: 4_294_967_295 } } },
  'client certificates': { spec: { config: { forwardClientCertDetails: 'SANITIZE_SET' } } },
  'prometheus merge': { spec: { config: { telemetry: { metrics: { prometheusMerge: true } } } } },
  'trust domain': { spec: { config: { trustDomain: 'mesh.example.org' } } },
  'dns proxying on': { spec: { config: { enableDNSProxying: true } } },
  'dns proxying off': { spec: { config: { enableDNSProxying: false } } },
  statistics: { spec: { config: { proxyStatsMatcher: { inclusionRegexps: ['.*upstream.*', '^a\\.b$'] } } } },
  authorizers: { spec: { config: { authorizers } } },
  'traffic policy': { spec: { config: { gatewayExternalTrafficPolicy: 'Local' } } },
  pilot: { spec: { components: { pilot: { k8s } } } },
  'ingress gateway': { spec: { components: { ingressGateway: { k8s } } } },
  'egress gateway': { spec: { components: { egressGateway: { k8s, enabled: true } } } },
  cni: { spec: { components: { cni: { k8s: { affinity, resources } } } } },
  proxy: { spec: { components: { proxy: { k8s: { resources } } } } },
  'compatibility mode': { spec: { compatibilityMode: true } },
  ambient: { spec: { experimental: { enableAmbient: true } } },
  'pilot experiments': {
    spec: { experimental: { pilot: { enableAlphaGatewayAPI: true, enableMultiNetworkDiscoverGatewayAPI: true } } },
  },
  images: {
    change: {
      installation: {
        images: {
          pilot: 'registry.example:5000/mesh/pilot:1.30.2-own@sha256:aa',
          cni: 'registry.example:5000/mesh/install-cni:1.30.2-own@sha256:bb',
          proxy: 'registry.example:5000/mesh/proxyv2:1.30.2-own@sha256:cc',
          ztunnel: 'registry.example:5000/mesh/ztunnel:1.30.2-own@sha256:dd',
        },
      },
    },
  },
  'dual stack': { change: { cluster: cluster({ isDualStack: true }) } },
}
