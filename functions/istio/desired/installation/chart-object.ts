// Adds the labels of an Istio installation to objects of charts. People, dashboards and later installations recognize the objects by them.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { isLabelValue } from '../../../../shared/core/objects/label.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

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
  [componentLabel]: component.charAt(0).toUpperCase() + component.slice(1),
  'install.operator.istio.io/owning-resource': 'default-operator',
  'install.operator.istio.io/owning-resource-namespace': istioNames.namespaces.mesh,
  [revisionLabel]: 'default',
})

const inModule = (template: unknown) => {
  const { metadata, ...pod } = mapOrEmpty(template)
  const { labels, ...rest } = mapOrEmpty(metadata)
  return { ...pod, metadata: { ...rest, labels: { ...mapOrEmpty(labels), ...moduleLabel } } }
}
