// Adjusts objects of charts. All get the labels of an Istio installation, by which people, dashboards and later installations recognize them.
// Webhook configurations keep the failurePolicy that istiod sets at run time.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { isLabelValue } from '../../../shared/core/objects/dns-name.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { capitalised } from '../../../shared/core/text/text.ts'

/** All installers of Istio set this label on all objects, for example istioctl and the Kyma Istio module. */
export const componentLabel = 'operator.istio.io/component'

export const revisionLabel = 'istio.io/rev'

type Origin = {
  /** A field of `spec.components`, for example `ingressGateways`. */
  readonly component: string
  readonly version: string
}

export const chartObject = (object: KubeObject, origin: Origin): KubeObject => {
  const { metadata, spec } = object
  const labelled = { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...installLabels(origin) } } }
  const { template } = mapOrEmpty(spec)
  return podKinds.includes(object.kind)
    ? { ...labelled, spec: { ...mapOrEmpty(spec), template: inModule(template) } }
    : labelled
}

const podKinds = ['Deployment', 'DaemonSet', 'StatefulSet', 'Job']

const moduleLabel = { [istioNames.labels.module]: istioNames.module }

const installLabels = ({ component, version }: Origin) => ({
  ...moduleLabel,
  'operator.istio.io/managed': 'Reconcile',
  ...(isLabelValue(version) && { 'operator.istio.io/version': version }),
  [componentLabel]: capitalised(component),
  'install.operator.istio.io/owning-resource': 'default-operator',
  'install.operator.istio.io/owning-resource-namespace': istioNames.namespaces.mesh,
  [revisionLabel]: 'default',
})

const inModule = (template: unknown) => {
  const { metadata, ...pod } = mapOrEmpty(template)
  const { labels, ...rest } = mapOrEmpty(metadata)
  return { ...pod, metadata: { ...rest, labels: { ...mapOrEmpty(labels), ...moduleLabel } } }
}

export const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(kind => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
}))

/**
 * `live`: webhook configurations in the cluster. Returns objects of other kinds unchanged. If a webhook for the revision tag `default` exists,
 * the injector's own webhook matches nothing. Otherwise Pods would be injected twice.
 */
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
