// The objects of a host: a Deployment for some functions, its PodDisruptionBudget, and a Service per function. In each layout Services have
// the functions' names, so that relay and API server need no change when hosts are split.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isAdmission, isCallback } from '../landscape/events.ts'
import { type Labels, ports, selectorLabels, webhookServiceName } from '../manifests/conventions.ts'
import { deployment, internalService, podDisruptionBudget } from './deployment.ts'
import { hostPod } from './host-pod.ts'

/** `name`: the name of the Deployment and service account. */
export const hostObjects = (landscape: Landscape, name: string, functions: readonly string[]): KubeObject[] => {
  const { namespace } = landscape.provider
  const selector = selectorLabels('host', name)
  return [
    deployment(name, namespace, hostPod(landscape, name, functions)),
    podDisruptionBudget(name, namespace, selector),
    ...functions.map(one => functionService({ landscape, name: one, selector })),
  ]
}

type FunctionServiceParts = { landscape: Landscape; name: string; selector: Labels }

/** The Service of a function, for the API server, other clusters, or the relay. */
export const functionService = ({ landscape, name, selector }: FunctionServiceParts): KubeObject => {
  const { namespace } = landscape.provider
  const settings = landscape.functions[name]
  if (settings && isAdmission(settings))
    return internalService({ name: webhookServiceName(name), namespace, selector, port: webhookPort })
  if (settings && isCallback(settings))
    return internalService({ name, namespace, selector, port: callbackPort, alias: formerCallbackPort })
  return internalService({ name, namespace, selector, port: functionPort, isHeadless: true })
}

const webhookPort = { name: 'webhooks', port: 443, targetPort: ports.webhooks }
const callbackPort = { name: 'callbacks', port: 443, targetPort: ports.callbacks }
/** The port that Watchers of Kyma's lifecycle-manager contain (manifests/samples/services). */
const formerCallbackPort = { name: 'former-callbacks', port: 8082 }
const functionPort = { name: 'functions', port: ports.functions, targetPort: ports.functions }
