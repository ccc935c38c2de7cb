// The webhooks of the mesh beside those that live. istiod opens and closes them, so its failure policy stays; and the revision tag
// `default` takes over from the injector, which would else inject a second time.
import { mapsIn } from '../../../../shared/core/json.ts'
import type { KubeObject } from '../../../../shared/core/object.ts'

/** The kinds of `live`. */
export const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(kind => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
}))

/** `live`: the webhook configurations there are. Other objects stay as they are. */
export const besideLive = (object: KubeObject, live: readonly KubeObject[]): KubeObject => {
  if (!webhookKinds.some(({ kind }) => kind === object.kind)) return object
  const isTaken = object.metadata.name === injector && live.some(({ metadata }) => metadata.name === tag)
  const same = live.find(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
  const policies = new Map(mapsIn(same?.webhooks).map(({ name, failurePolicy }) => [name, failurePolicy]))
  const webhooks = mapsIn(object.webhooks).map(webhook => ({
    ...webhook,
    ...(policies.has(webhook.name) && { failurePolicy: policies.get(webhook.name) }),
    ...(isTaken && never),
  }))
  return { ...object, webhooks }
}

const injector = 'istio-sidecar-injector'
const tag = 'istio-revision-tag-default'
const nothing = { matchLabels: { 'istio.io/deactivated': 'never-match' } }
const never = { namespaceSelector: nothing, objectSelector: nothing }
