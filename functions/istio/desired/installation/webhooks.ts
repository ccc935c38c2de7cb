// The webhook configurations to apply, adjusted to those in the cluster. istiod sets their failurePolicy while it runs, so the live one
// stays. And once the revision tag `default` has a webhook, the injector's own must not match the same Pods: it would inject them twice.
import { mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

/** The kinds of `live`. */
export const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(kind => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
}))

/** `live`: the webhook configurations in the cluster. Objects of other kinds are returned unchanged. */
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
