// Labels, ports and names that all generated objects share. Builders take everything else as arguments.

export type Labels = Record<string, string>

/** A host serves functions and webhooks, the relay calls them; `instance` is the Deployment. */
type Component = 'host' | 'relay'

/** The labels that select a workload's Pods. A Deployment's selector cannot change, so they have no version. */
export const selectorLabels = (component: Component, instance: string): Labels => ({
  'app.kubernetes.io/name': 'espalier',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/instance': instance,
})

/** The label of all objects that are ours alone, by which they can be listed or deleted. */
export const partLabels: Labels = { 'app.kubernetes.io/part-of': 'espalier' }

export const componentSelector = (component: Component) => ({
  matchLabels: { 'app.kubernetes.io/name': 'espalier', 'app.kubernetes.io/component': component },
})

/** The ports of containers. Each kind of caller has its own, so that NetworkPolicies can tell them apart; the relay has one for all. */
export const ports = { functions: 8443, webhooks: 9443, callbacks: 10443, relay: 8080, probes: 8080 } as const

/** The Secret with authority and serving certificate, and the function that keeps it. */
export const certificateSecretName = 'espalier-webhook-certificate'
export const certificateFunction = 'webhook-certificate'

export const tokenAudience = 'espalier'

/** The name of a cluster-scoped object, with the operator's name as prefix: several operators can be in a cluster. */
export const clusterName = (service: string, name: string): string => `${service}-${name}`

/** The Service through which the API server calls an admission function, in every layout. */
export const webhookServiceName = (functionName: string): string => `${functionName}-webhooks`
