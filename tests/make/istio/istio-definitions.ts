// Definitions of Istio's kinds as the charts have them: with open schemas, in the versions that are served.
import type { KubeObject } from '../../../shared/core/objects/object.ts'

const kinds: Readonly<Record<string, readonly [plural: string, group: string, version: string]>> = {
  EnvoyFilter: ['envoyfilters', 'networking.istio.io', 'v1alpha3'],
  Gateway: ['gateways', 'networking.istio.io', 'v1'],
  PeerAuthentication: ['peerauthentications', 'security.istio.io', 'v1'],
  ServiceEntry: ['serviceentries', 'networking.istio.io', 'v1'],
  Telemetry: ['telemetries', 'telemetry.istio.io', 'v1'],
  TrafficExtension: ['trafficextensions', 'extensions.istio.io', 'v1alpha1'],
  VerticalPodAutoscaler: ['verticalpodautoscalers', 'autoscaling.k8s.io', 'v1'],
  VirtualService: ['virtualservices', 'networking.istio.io', 'v1'],
}

const rowOf = (kind: string) => {
  const row = kinds[kind]
  if (!row) throw new Error(`no definition of ${kind}`)
  return row
}

export const istioDefinition = (kind: string): KubeObject => {
  const [plural, group, name] = rowOf(kind)
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Groups of k8s.io are served only with it.
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name, served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  }
}

/** One of a user. */
export const istioResource = (
  kind: string,
  name: string,
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject => {
  const [, group, version] = rowOf(kind)
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace: 'team', ...metadata }, spec: {} }
}
