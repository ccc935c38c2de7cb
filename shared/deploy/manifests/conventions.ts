// What all generated objects agree on: labels, ports, names. Builders take everything else as arguments.

export type Labels = Record<string, string>

/** A host serves functions and webhooks, the relay calls them; `instance` is the Deployment. */
export type Component = 'host' | 'relay'

/** By these a workload's Pods are found. They can never change on a Deployment, so they carry no version. */
export const selectorLabels = (component: Component, instance: string): Labels => ({
  'app.kubernetes.io/name': 'espalier',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/instance': instance,
})

/** On every object that is ours alone, for whoever lists or deletes what belongs to Espalier. */
export const partLabels: Labels = { 'app.kubernetes.io/part-of': 'espalier' }

/** Only on objects that functions keep up to date after they were applied. */
export const managedLabels: Labels = { ...partLabels, 'app.kubernetes.io/managed-by': 'espalier' }

export const componentSelector = (component: Component) => ({
  matchLabels: { 'app.kubernetes.io/name': 'espalier', 'app.kubernetes.io/component': component },
})

/** Ports that containers listen on, apart so that NetworkPolicies can tell callers apart. The relay's probes are on its own. */
export const ports = { functions: 8443, webhooks: 9443, relay: 8080, probes: 8080 } as const

/** The Secret with authority and serving certificate, and the function that keeps it. */
export const certificateSecretName = 'espalier-webhook-certificate'
export const certificateFunction = 'webhook-certificate'

/** For whom the tokens are that the relay and the hosts show each other. */
export const tokenAudience = 'espalier'

/** Cluster-scoped names carry the project's; names in its own namespace need not. */
export const clusterName = (name: string): string => `espalier-${name}`

/** The Service by which the API server reaches an admission function, in every layout. */
export const webhookServiceName = (functionName: string): string => `${functionName}-webhooks`
