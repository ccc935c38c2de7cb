// Replaces istiod in clusters without running Pods. Answers the webhook of Service istiod, which injects sidecars by the ConfigMaps of the
// mesh. Writes its authority into the webhook configurations when Deployment istiod is available. Validates no objects.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { jsonPatch } from '../core/json/json-patch.ts'
import type { KubeObject, ObjectRef } from '../core/objects/object.ts'
import { readYaml } from '../core/yaml/read.ts'
import type { Client } from '../kube/client-types.ts'
import { whileAvailable } from './garden/health.ts'
import { patched, runStandIn, type StandIn } from './garden/stand-in.ts'
import { authority } from './identity/authority.ts'
import { fieldsAt, type JsonMap, mapOrEmpty, mapsIn, textAt } from './value.ts'

/** The Service that API servers call, and the Deployment behind it. */
export const istiodKey = { namespace: 'istio-system', name: 'istiod' }

type RunningIstiod = {
  /** The port on 127.0.0.1. */
  readonly port: number
  stop(): Promise<void>
}

export const runIstiod = async (client: Client): Promise<RunningIstiod> => {
  const { namespace, name } = istiodKey
  const sidecar = async () => {
    const [injector, istio] = await Promise.all(meshConfigs.map(ref => client.get(ref)))
    if (injector && istio) return sidecarOfMesh(injector, istio)
    throw new Error('ConfigMap istio-sidecar-injector or istio is missing in namespace istio-system')
  }
  const running = await startInjector({ hosts: [`${name}.${namespace}.svc`], sidecar })
  const stopTrusted = runStandIn(whileAvailable(trusted(client, running), { client, ...istiodKey }))
  const stop = async () => {
    await stopTrusted()
    running.stop()
  }
  return { port: running.port, stop }
}

const meshConfigs: readonly ObjectRef[] = ['istio-sidecar-injector', 'istio'].map(name => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: istiodKey.namespace,
  name,
}))

const configurations = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
} as const

const trusted = (client: Client, { caBundle }: RunningInjector): StandIn => ({
  name: istiodKey.name,
  kinds: [{ ...configurations, client }],
  reconcile: async known => {
    for (const one of known.all(configurations)) {
      const webhooks = webhooksOf(one)
      const wanted = webhooks.map(webhook => {
        const { service, ...config } = mapOrEmpty(webhook.clientConfig)
        const { namespace, name } = mapOrEmpty(service)
        const isOurs = namespace === istiodKey.namespace && name === istiodKey.name
        return isOurs && config.caBundle !== caBundle
          ? { ...webhook, clientConfig: { ...config, service, caBundle } }
          : webhook
      })
      if (wanted.some((webhook, at) => webhook !== webhooks[at]))
        await patched({ client, manager: 'pilot-discovery' }, one, { webhooks: wanted })
    }
    return undefined
  },
})

const webhooksOf = ({ webhooks }: KubeObject) => mapsIn(webhooks)

type InjectorOptions = {
  readonly hosts: readonly string[]
  readonly sidecar: () => Promise<Sidecar>
}

type RunningInjector = {
  /** The port on 127.0.0.1. */
  readonly port: number
  readonly caBundle: string
  stop(): void
}

export const startInjector = async ({ hosts, sidecar }: InjectorOptions): Promise<RunningInjector> => {
  const own = authority()
  const server = createServer(own.serving(hosts), (request, response) =>
    answer(request, sidecar).then(
      review => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review)),
      () => response.writeHead(500).end(),
    ),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, caBundle: own.caData, stop }
}

const answer = async (asking: IncomingMessage, sidecar: InjectorOptions['sidecar']) => {
  const { request, ...review } = JSON.parse(await text(asking))
  const patch = jsonPatch(request.object, injected(request.object, await sidecar()))
  const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }
  return { ...review, response }
}

export type Sidecar = {
  readonly image: string
  readonly resources?: JsonMap
  readonly environment?: Readonly<Record<string, unknown>>
  /** Added to the annotations of every sidecar. */
  readonly annotations?: Readonly<Record<string, string>>
}

const injected = (pod: KubeObject, sidecar: Sidecar): KubeObject => {
  const containers = mapsIn(mapOrEmpty(pod.spec).containers)
  if (containers.some(({ name }) => name === proxyName)) return pod
  const annotations = { 'sidecar.istio.io/status': '{}', ...sidecar.annotations, ...pod.metadata.annotations }
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...mapOrEmpty(pod.spec), containers: [...containers, proxy(sidecar)] },
  }
}

const proxyName = 'istio-proxy'

const proxy = ({ image, resources = {}, environment = {} }: Sidecar): JsonMap => ({
  name: proxyName,
  image,
  resources,
  env: Object.entries(environment).map(([name, value]) => ({ name, value: String(value) })),
})

const sidecarOfMesh = (injector: KubeObject, istio: KubeObject): Sidecar => {
  const global = fieldsAt(JSON.parse(textAt(injector, 'data', 'values')), 'global')
  const mesh = readYaml(textAt(istio, 'data', 'mesh'))
  const image = textAt(global, 'proxy', 'image')
  return {
    image: image.includes('/') ? image : `${textAt(global, 'hub')}/${image}:${textAt(global, 'tag')}`,
    resources: fieldsAt(global, 'proxy', 'resources'),
    environment: fieldsAt(mesh, 'defaultConfig', 'proxyMetadata'),
    annotations: mapOrEmpty(mesh).enablePrometheusMerge === false ? {} : mergedMetrics,
  }
}

const mergedMetrics = { 'prometheus.io/path': '/stats/prometheus', 'prometheus.io/port': '15020' }
