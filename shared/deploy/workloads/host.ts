// The objects of a host: a Deployment for some functions, its PodDisruptionBudget, and a Service per function. In each layout Services have
// the functions' names, so that relay and API server need no change when hosts are split.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isAdmission, isCallback } from '../landscape/events.ts'
import {
  certificateFunction,
  type Labels,
  ports,
  selectorLabels,
  webhookServiceName,
} from '../manifests/conventions.ts'
import { certificateMount, deployment, internalService, type PodParts, podDisruptionBudget, tokenMount } from './pod.ts'

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

/** `name`: the service account and instance label. */
export const hostPod = (landscape: Landscape, name: string, functions: readonly string[]): PodParts => {
  const served = functions.flatMap(one => landscape.functions[one] ?? [])
  const graceSeconds = Math.max(...served.map(settings => settings.timeout))
  const certificate = certificates[functions.includes(certificateFunction) ? 'secret' : 'files']
  const receives = served.some(isCallback)
  return {
    selector: selectorLabels('host', name),
    serviceAccountName: name,
    program: 'host',
    environment: {
      ESPALIER_FUNCTIONS: functions.join(','),
      ESPALIER_LISTEN: `:${ports.functions}`,
      ESPALIER_FUNCTIONS_TLS: 'on',
      ESPALIER_PROBES_LISTEN: `:${ports.probes}`,
      ESPALIER_WEBHOOKS_LISTEN: `:${ports.webhooks}`,
      ESPALIER_DRAIN_SECONDS: String(drainSeconds),
      ESPALIER_GRACE_SECONDS: String(graceSeconds),
      ...certificate.environment,
      ...Object.assign({}, ...served.map(({ environment }) => environment)),
      ...(receives ? callbackEnvironment(landscape) : {}),
    },
    mounts: [...certificate.mounts, ...(receives ? [tokenMount] : [])],
    ports: containerPorts(served),
    memoryMiB: memory(landscape, functions),
    cpuMillis: functions.length > 1 ? 100 : 20,
    terminationGracePeriodSeconds: drainSeconds + graceSeconds + exitSeconds,
  }
}

/** Variables for callbacks, which send keys to the relay with the Pod's token. */
const callbackEnvironment = ({ provider: { namespace } }: Landscape) => ({
  ESPALIER_CALLBACKS_LISTEN: `:${ports.callbacks}`,
  ESPALIER_RELAY: `http://relay.${namespace}.svc:${ports.relay}`,
})

/** Functions with dependents render charts or read layers in separate processes (shared/http/settings/host-settings.ts). */
const isRendering = ({ events }: FunctionSettings): boolean =>
  events.some(event => 'inventory' in event && event.inventory.ownerLabel !== undefined)

/** Two processes with at most 384 MB each. */
const renderersMiB = 768

/** A host of all functions needs 114 MiB when idle. Memory of single functions is not added, because all functions share the process. */
const sharedMiB = 128

/** The limit in multiples of the idle memory, against leaks. The measured maximum, with 2,000 Components or 200 Kymas, is 4. */
const mostToRest = 6

const drainSeconds = 5
const exitSeconds = 5

/** The Pod of a Knative Service. Knative calls one port without TLS, also for probes. Only Pods with webhooks need the certificate. */
export const knativePod = (landscape: Landscape, name: string): PodParts => {
  const pod = hostPod(landscape, name, [name])
  const settings = landscape.functions[name]
  const needsCertificate = name === certificateFunction || (settings !== undefined && isAdmission(settings))
  const behindProxy = {
    ESPALIER_LISTEN: `:${ports.probes}`,
    ESPALIER_FUNCTIONS_TLS: 'off',
    ESPALIER_PROBES_LISTEN: '',
  }
  return {
    ...pod,
    environment: { ...pod.environment, ...behindProxy, ...(needsCertificate ? {} : { ESPALIER_TLS: 'off' }) },
    mounts: pod.mounts.filter(mount => needsCertificate || mount === tokenMount),
    ports: { http1: ports.probes },
  }
}

const tlsFolder = '/var/run/espalier/tls'

/** A host of webhook-certificate makes the certificate before it listens. Other hosts mount it as files. */
const certificates: Record<'secret' | 'files', Pick<PodParts, 'environment' | 'mounts'>> = {
  secret: { environment: { ESPALIER_TLS: 'secret' }, mounts: [] },
  files: {
    environment: { ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: tlsFolder },
    mounts: [certificateMount({ folder: tlsFolder, files: ['tls.crt', 'tls.key'], optional: true })],
  },
}

const containerPorts = (served: readonly FunctionSettings[]): Record<string, number> => ({
  functions: ports.functions,
  probes: ports.probes,
  ...(served.some(isAdmission) ? { webhooks: ports.webhooks } : {}),
  ...(served.some(isCallback) ? { callbacks: ports.callbacks } : {}),
})

const memory = (landscape: Landscape, functions: readonly string[]): PodParts['memoryMiB'] => {
  const largest = Math.max(...functions.map(name => landscape.functions[name]?.memorySize ?? 0))
  const request = functions.length > 1 ? Math.max(sharedMiB, largest) : largest
  const renders = functions.flatMap(name => landscape.functions[name] ?? []).some(isRendering)
  return { request, limit: mostToRest * request + (renders ? renderersMiB : 0) }
}
