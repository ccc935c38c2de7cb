// Endpoints and EndpointSlices of Services: the addresses of the Pods that the Services select.
import type { KubeObject } from '../../core/objects/object.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, sameJson, textAt } from '../value.ts'
import { nodeName } from './behaviour.ts'
import { ownerReference } from './claims.ts'
import type { Context, Controller } from './controller.ts'
import { controllerWorker } from './controller-worker.ts'
import { isActive, isEnding, isReady } from './workloads/own-pods.ts'

export const endpoints: Controller = {
  name: 'endpointslice-controller',
  worker: controllerWorker('endpointslice-controller'),
  collection: 'services',
  concerns: {
    pods: ({ stored, previous }, store) =>
      store
        .objects('services', `${stored.object.metadata.namespace}/`)
        .filter(service => [stored.object, previous?.object].some(pod => pod && isFor(service, pod)))
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    endpoints: ({ key, type }) => (type === 'DELETED' ? [key] : []),
  },
  reconcile: async (context, service) => {
    const selector = fieldsAt(service, 'spec', 'selector')
    if (!selector || isEnding(service) || textAt(service, 'spec', 'type') === 'ExternalName') return
    const pods = podsFor(context.store, service)
    await ensure(context, 'endpoints', endpointsOf(service, pods))
    await ensure(context, 'discovery.k8s.io/endpointslices', sliceOf(service, pods))
  },
  clear: async ({ store, writes }, key) => {
    const found = store.get('endpoints', key)?.object
    if (found && !isEnding(found)) await writes.remove(found)
  },
}

const isFor = (service: KubeObject, { metadata }: KubeObject): boolean => {
  const matchLabels = fieldsAt(service, 'spec', 'selector')
  return matchLabels !== undefined && matchesLabels(structuredSelector({ matchLabels }) ?? [], metadata.labels)
}

const podsFor = (store: Store, service: KubeObject): KubeObject[] =>
  store
    .objects('pods', `${service.metadata.namespace}/`)
    .filter(pod => isFor(service, pod) && isActive(pod) && textAt(pod, 'status', 'podIP') !== '')

const ensure = async ({ store, writes }: Context, collection: string, wanted: JsonMap): Promise<void> => {
  const key = `${textAt(wanted, 'metadata', 'namespace')}/${textAt(wanted, 'metadata', 'name')}`
  const found = store.get(collection, key)?.object
  if (!found) return void (await writes.create(wanted))
  const { metadata, ...content } = wanted
  const labels = { ...found.metadata.labels, ...fieldsAt(metadata, 'labels') }
  const changed = (now: KubeObject) => ({ ...now, ...content, metadata: { ...now.metadata, labels } })
  if (!sameJson(found, JSON.parse(JSON.stringify(changed(found))))) await writes.update(found, changed)
}

const head = (service: KubeObject, name: string, labels: JsonMap): JsonMap => ({
  name,
  namespace: service.metadata.namespace,
  labels: { ...service.metadata.labels, ...labels },
})

const portOn = (pods: readonly KubeObject[], target: unknown): number | undefined => {
  if (typeof target === 'number') return target
  const ports = pods.flatMap(pod => listAt(pod, 'spec', 'containers').flatMap(container => mapsAt(container, 'ports')))
  const found = ports.find(({ name }) => name === target)?.containerPort
  return typeof found === 'number' ? found : undefined
}

const portsOf = (service: KubeObject, pods: readonly KubeObject[]): JsonMap[] =>
  mapsAt(service, 'spec', 'ports').flatMap(({ name, protocol, targetPort }) => {
    const port = portOn(pods, targetPort)
    return port === undefined ? [] : [{ name, port, protocol }]
  })

const target = ({ metadata }: KubeObject): JsonMap => ({
  kind: 'Pod',
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
})

const endpointsOf = (service: KubeObject, pods: readonly KubeObject[]): JsonMap => {
  const addresses = (chosen: readonly KubeObject[]) =>
    chosen.map(pod => ({ ip: textAt(pod, 'status', 'podIP'), nodeName, targetRef: target(pod) }))
  const ready = pods.filter(isReady)
  const waiting = pods.filter(pod => !isReady(pod))
  const subset = {
    ...(ready.length && { addresses: addresses(ready) }),
    ...(waiting.length && { notReadyAddresses: addresses(waiting) }),
    ports: portsOf(service, pods),
  }
  const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: head(service, service.metadata.name, labels),
    subsets: pods.length > 0 ? [subset] : undefined,
  }
}

const sliceOf = (service: KubeObject, pods: readonly KubeObject[]): JsonMap => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    ...head(service, `${service.metadata.name}-${service.metadata.uid?.slice(0, 5)}`, {
      'kubernetes.io/service-name': service.metadata.name,
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    }),
    ownerReferences: [ownerReference(service)],
  },
  addressType: 'IPv4',
  endpoints: pods.map(pod => ({
    addresses: [textAt(pod, 'status', 'podIP')],
    conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
    nodeName,
    targetRef: target(pod),
  })),
  ports: portsOf(service, pods),
})
