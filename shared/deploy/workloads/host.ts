// The objects of a host: one Deployment for some functions, its PodDisruptionBudget, and a Service per function. Services are named
// after functions in every layout, so that relay and API server need no change when one host is split into many.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isAdmission, isCallback } from '../landscape/events.ts'
import { type Labels, ports, selectorLabels, webhookServiceName } from '../manifests/conventions.ts'
import { deployment, internalService, podDisruptionBudget } from './deployment.ts'
import { hostPod } from './host-pod.ts'

/** `name` is the name of the Deployment and of the service account that the functions run under. */
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

/** The Service of a function: for the API server, for other clusters, or for the relay. */
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
/** The port that Watchers of Kyma's lifecycle-manager name: manifests/samples/services. */
const formerCallbackPort = { name: 'former-callbacks', port: 8082 }
const functionPort = { name: 'functions', port: ports.functions, targetPort: ports.functions }
