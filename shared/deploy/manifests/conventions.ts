// Labels, ports and names of all generated objects.

export type Labels = Record<string, string>

/** Hosts serve functions and webhooks, and the relay calls them. `instance` is the Deployment. */
type Component = 'host' | 'relay'

/** Labels that select a workload's Pods. They contain no version, because a Deployment's selector is immutable. */
export const selectorLabels = (component: Component, instance: string): Labels => ({
  'app.kubernetes.io/name': 'espalier',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/instance': instance,
})

/** The label of all our own objects, for listing and deleting them. */
export const partLabels: Labels = { 'app.kubernetes.io/part-of': 'espalier' }

export const componentSelector = (component: Component) => ({
  matchLabels: { 'app.kubernetes.io/name': 'espalier', 'app.kubernetes.io/component': component },
})

/** Ports of containers. Each kind of caller has its own port, because NetworkPolicies select ports. The relay has one port. */
export const ports = { functions: 8443, webhooks: 9443, callbacks: 10443, relay: 8080, probes: 8080 } as const

/** The Secret with authority and serving certificate, and the function that writes this Secret. */
export const certificateSecretName = 'espalier-webhook-certificate'
export const certificateFunction = 'webhook-certificate'

export const tokenAudience = 'espalier'

/** Names of cluster-scoped objects start with the operator's name, because a cluster may have several operators. */
export const clusterName = (service: string, name: string): string => `${service}-${name}`

/** The API server calls an admission function through this Service in each layout. */
export const webhookServiceName = (functionName: string): string => `${functionName}-webhooks`
