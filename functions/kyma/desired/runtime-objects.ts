// Objects that every runtime gets from the control plane, besides its agent and catalogue. The owner of the runtime edits the copy of the Kyma.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import type { Kyma, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { remoteOf, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'

const ours = { [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime }

/** The conversion webhook of the control plane is omitted, because runtimes cannot reach it. */
export const runtimeCrd = ({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, labels: ours },
  spec: { ...mapOrEmpty(spec), conversion: { strategy: 'None' } },
})

/** The namespace of copy, catalogue and default objects of modules. */
export const runtimeNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: { ...ours, 'istio-injection': 'enabled', 'namespaces.warden.kyma-project.io/validate': 'enabled' },
  },
})

/** The Secret for pulling images. */
export const runtimePullSecret = ({ metadata, type, data }: KubeObject, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: metadata.name, namespace, labels: ours },
  type,
  data: data ?? {},
})

const { labels, annotations, managedBy } = kymaNames

/** Labels of the Kyma that are copied. */
const accountLabels = [labels.runtimeId, labels.globalAccountId, labels.subaccountId]

/** The copy at its creation. After the creation, the spec of the copy belongs to the owner of the runtime. */
export const kymaCopy = (kyma: Kyma): KubeObject => {
  const { labels, annotations } = copyMetadata(kyma)
  const set = Object.entries(labels).flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]))
  const place = { name: kymaNames.copyName, namespace: syncNamespace(kyma) }
  return {
    ...kymaKind,
    metadata: { ...place, labels: Object.fromEntries(set), annotations },
    spec: specOfNewCopy(kyma),
  }
}

/** The desired modules of a Kyma whose copy does not exist yet. */
export const specOfNewCopy = (kyma: Kyma): Kyma['spec'] => {
  if (!remoteOf(kyma).noModuleCopy) return kyma.spec
  const { modules: _, ...spec } = kyma.spec
  return spec
}

/** Our labels and annotations on the copy. A label with value undefined is removed. */
export const copyMetadata = (kyma: Kyma) => ({
  labels: {
    ...Object.fromEntries(accountLabels.map(label => [label, kyma.metadata.labels?.[label]])),
    [labels.watchedBy]: kymaNames.watchedBy,
    [labels.managedBy]: managedBy.runtime,
  },
  annotations: { [annotations.ownedBy]: keyText(keyOf(kyma)) },
})

type Status = NonNullable<Kyma['status']>

type There = { readonly namespace: string; readonly generation: number }

/** `namespace`: the namespace of the catalogue. `generation`: the generation of the copy. */
export const copyStatus = (status: Status, { namespace, generation }: There): Status => ({
  ...status,
  ...(status.conditions && {
    conditions: status.conditions.map(condition => ({ ...condition, observedGeneration: generation })),
  }),
  ...(status.modules && { modules: status.modules.map(module => copiedModule(module, namespace)) }),
})

/** Omits the Manifest, because Manifests exist only in the control plane. */
const copiedModule = ({ manifest: _, template, ...module }: ModuleStatus, namespace: string): ModuleStatus => ({
  ...module,
  ...(template && { template: { ...template, metadata: { ...template.metadata, namespace } } }),
})
