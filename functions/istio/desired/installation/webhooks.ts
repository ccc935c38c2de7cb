// Adjusts rendered webhook configurations to the live webhook configurations. istiod sets the failurePolicy at run time, so the live value
// stays. If a webhook for the revision tag `default` exists, the injector's own webhook must match nothing. Otherwise Pods would be
// injected twice.
import { mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

export const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(kind => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
}))

/** `live`: webhook configurations in the cluster. Returns objects of other kinds unchanged. */
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
