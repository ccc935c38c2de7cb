// A host as a workload: one Deployment that serves some functions, its disruption budget, and a Service per function.
// Services are named after functions in every layout, so that neither the relay nor the API server is told when one
// host is split into many.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/object.ts'
import { isAdmission } from '../landscape/events.ts'
import { type Labels, ports, selectorLabels, webhookServiceName } from '../manifests/conventions.ts'
import { deployment } from './deployment.ts'
import { hostPod } from './host-pod.ts'
import { internalService } from './internal-service.ts'
import { podDisruptionBudget } from './pod-disruption-budget.ts'

/** Serves the named functions. `name` is the Deployment, and the service account whose rights they run with. */
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

/** Admission functions are called by the API server and nobody else, all others by the relay and nobody else. */
export const functionService = ({ landscape, name, selector }: FunctionServiceParts): KubeObject => {
  const { namespace } = landscape.provider
  const settings = landscape.functions[name]
  return settings && isAdmission(settings)
    ? internalService({ name: webhookServiceName(name), namespace, selector, port: webhookPort })
    : internalService({ name, namespace, selector, port: functionPort })
}

const webhookPort = { name: 'webhooks', port: 443, targetPort: ports.webhooks }
const functionPort = { name: 'functions', port: ports.functions, targetPort: ports.functions }
