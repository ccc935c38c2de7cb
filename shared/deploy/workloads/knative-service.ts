// A function as a Knative Service, which can scale to zero. Knative terminates TLS and names the Service; relay-routes.ts tells the
// relay its URL.
import type { FunctionSettings } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isCalledByRelay } from '../landscape/events.ts'
import { partLabels } from '../manifests/conventions.ts'
import { volume } from './mounts.ts'
import { container, containerPorts, type PodParts, probes } from './pod.ts'

/** An admission function and one that receives callbacks keep one Pod: their callers do not go through Knative, which would start one. */
export const knativeService = (
  { name, namespace }: { name: string; namespace: string },
  settings: FunctionSettings,
  pod: PodParts,
): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name, namespace, labels: { ...partLabels, 'networking.knative.dev/visibility': 'cluster-local' } },
  spec: {
    template: {
      metadata: {
        labels: { ...partLabels, ...pod.selector },
        annotations: { 'autoscaling.knative.dev/min-scale': isCalledByRelay(settings) ? '0' : '1' },
      },
      spec: revisionSpec(settings, pod),
    },
  },
})

/** Knative allows one port, whose name is its protocol. */
const revisionSpec = (settings: FunctionSettings, pod: PodParts) => ({
  serviceAccountName: pod.serviceAccountName,
  containerConcurrency: settings.concurrency,
  timeoutSeconds: settings.timeout,
  containers: [{ ...container(pod), ports: containerPorts(pod), ...probes }],
  volumes: pod.mounts.map(volume),
})
