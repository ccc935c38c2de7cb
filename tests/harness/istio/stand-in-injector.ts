// An injector of sidecars for a test's cluster: the stand-in, with a webhook configuration for Pods that have the label
// `sidecar.istio.io/inject: "true"`.
import type { Test } from 'tap'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { type Sidecar, startInjector } from '../../../shared/embedded/istiod.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { eventually } from '../until.ts'

export type StandInInjector = {
  /** The sidecar that new Pods get. */
  sidecar: Sidecar
}

export const injectedLabel = { 'sidecar.istio.io/inject': 'true' }

/** Serves until the test ends. */
export const standInInjector = async (t: Test, client: Client, sidecar: Sidecar): Promise<StandInInjector> => {
  const injector: StandInInjector = { sidecar }
  const host = '127.0.0.1'
  const { port, caBundle, stop } = await startInjector({ hosts: [host], sidecar: async () => injector.sidecar })
  t.teardown(stop)
  const made = await client.create(webhook(`https://${host}:${port}/inject`, caBundle), { fieldManager: 'person' })
  t.teardown(() => client.delete(refOf(made), {}))
  await eventually('the injector is called', () => injects(client))
  return injector
}

const webhook = (url: string, caBundle: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'stand-in-injector' },
  webhooks: [
    {
      name: 'sidecar.injector.example',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url, caBundle },
      objectSelector: { matchLabels: injectedLabel },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
  ],
})

const injects = async (client: Client): Promise<boolean> => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe', namespace: 'default', labels: injectedLabel },
    spec: { containers: [{ name: 'app', image: 'example.com/app:1' }] },
  }
  const made = await client.create(pod, { fieldManager: 'person', dryRun: true })
  return mapsIn(mapOrEmpty(made.spec).containers).length === 2
}
