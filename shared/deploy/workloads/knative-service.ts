// A function as a Knative Service, where scale to zero is wanted. Knative ends TLS and names the Service; the relay
// finds it by routes of its own (relay-routes.ts).
import type { FunctionSettings } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/object.ts'
import { isAdmission } from '../landscape/events.ts'
import { partLabels } from '../manifests/conventions.ts'
import { volume } from './mounts.ts'
import { container, containerPorts, type PodParts, probes } from './pod.ts'

/** An admission function keeps one Pod: the API server waits for no cold start, and reaches it past Knative. */
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
        annotations: { 'autoscaling.knative.dev/min-scale': isAdmission(settings) ? '1' : '0' },
      },
      spec: revisionSpec(settings, pod),
    },
  },
})

/** Knative knows one port, whose name is its protocol. */
const revisionSpec = (settings: FunctionSettings, pod: PodParts) => ({
  serviceAccountName: pod.serviceAccountName,
  containerConcurrency: settings.concurrency,
  timeoutSeconds: settings.timeout,
  containers: [{ ...container(pod), ports: containerPorts(pod), ...probes }],
  volumes: pod.mounts.map(volume),
})
