// Objects that every runtime gets from the control plane, besides its agent and catalogue.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

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
