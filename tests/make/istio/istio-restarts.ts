// Pods with sidecars and what owns them, as they should be unless a test says otherwise.
import type { DesiredSidecar } from '../../../functions/istio/rules/restarts/stale-pod.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject, OwnerReference } from '../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../shared/core/time/kube-time.ts'

/** In seconds. */
export const noonAt = Date.parse('2026-01-02T12:00:00Z') / 1000
export const timeAt = (seconds: number): string => kubeTime(new Date(seconds * 1000))

const resources = { requests: { cpu: '10m', memory: '192Mi' }, limits: { cpu: '1', memory: '1Gi' } }

export const wellSidecar: DesiredSidecar = {
  image: 'hub/proxyv2:1.30.2',
  resources,
  hasCni: true,
  metrics: { isMerged: false, port: '15020' },
}

/** Made an hour before noon, and ready since. */
export const sidecarPod = (change: object = {}): KubeObject =>
  mergePatched(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'shop-1',
        namespace: 'team',
        uid: 'uid-shop-1',
        resourceVersion: '1',
        creationTimestamp: timeAt(noonAt - 3600),
        annotations: { 'sidecar.istio.io/status': '{}' },
      },
      spec: {
        initContainers: [{ name: 'istio-validation' }],
        containers: [{ name: 'app', image: 'app:1' }, proxyContainer()],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    change,
  ) as KubeObject

export const proxyContainer = (change: object = {}) =>
  mergePatched({ name: 'istio-proxy', image: wellSidecar.image, resources }, change)

export const ownerOf = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
})

/** A workload in the namespace of that Pod, made an hour before noon. */
export const ownerObject = (kind: string, name: string, change: object = {}): KubeObject =>
  mergePatched(
    {
      apiVersion: 'apps/v1',
      kind,
      metadata: {
        name,
        namespace: 'team',
        uid: `uid-${name}`,
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: timeAt(noonAt - 3600),
      },
      status: { observedGeneration: 1 },
    },
    change,
  ) as KubeObject
