// Stands in for the injector of istiod: a webhook that gives Pods a sidecar as a test wants it. It injects Pods with the label
// `sidecar.istio.io/inject: "true"`, and is no Envoy: the container has an image alone, and what a test says besides.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { type JsonMap, mapOrEmpty, mapsIn } from '../../shared/core/json.ts'
import { jsonPatch } from '../../shared/core/json-patch.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { newAuthority } from './certificates.ts'
import { eventually } from './until.ts'

export type StandInInjector = {
  /** What Pods get that are made from now on. */
  sidecar: Sidecar
}

export type Sidecar = {
  readonly image: string
  readonly resources?: JsonMap
  /** Those of a sidecar are there without being named. */
  readonly annotations?: Readonly<Record<string, string>>
}

export const injectedLabel = { 'sidecar.istio.io/inject': 'true' }

/** Serves until the test ends. */
export const standInInjector = async (t: Test, client: Client, sidecar: Sidecar): Promise<StandInInjector> => {
  const injector: StandInInjector = { sidecar }
  const authority = await newAuthority('stand-in injector')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const { request: asked, ...review } = JSON.parse(await text(request))
    const patch = jsonPatch(asked.object, injected(asked.object, injector.sidecar))
    response.writeHead(200, { 'content-type': 'application/json' })
    const answer = { uid: asked.uid, allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }
    response.end(JSON.stringify({ ...review, response: answer }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/inject`
  await client.create(webhook(url, Buffer.from(authority.certificate).toString('base64')), { fieldManager: 'person' })
  await eventually('the injector is called', () => injects(client))
  return injector
}

const injected = (pod: KubeObject, { image, resources = {}, annotations = {} }: Sidecar): KubeObject => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    annotations: { 'sidecar.istio.io/status': '{}', ...annotations, ...pod.metadata.annotations },
  },
  spec: {
    ...mapOrEmpty(pod.spec),
    containers: [...mapsIn(mapOrEmpty(pod.spec).containers), { name: 'istio-proxy', image, resources }],
  },
})

const webhook = (url: string, caBundle: string): KubeObject => ({
  ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
  metadata: { name: 'stand-in-injector' },
  webhooks: [
    {
      ...{ name: 'sidecar.injector.example', admissionReviewVersions: ['v1'], sideEffects: 'None' },
      clientConfig: { url, caBundle },
      objectSelector: { matchLabels: injectedLabel },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
  ],
})

const injects = async (client: Client): Promise<boolean> => {
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'probe', namespace: 'default', labels: injectedLabel },
    spec: { containers: [{ name: 'app', image: 'example.com/app:1' }] },
  }
  const made = await client.create(pod, { fieldManager: 'person', dryRun: true })
  return mapsIn(mapOrEmpty(made.spec).containers).length === 2
}
