// The namespace of the mesh.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

export const meshNamespaceRef: ObjectRef = {
  apiVersion: 'v1',
  kind: 'Namespace',
  namespace: '',
  name: istioNames.namespaces.mesh,
}

/** Labels that others gave it stay. */
export const meshNamespace = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: istioNames.namespaces.mesh,
    labels: { 'namespaces.warden.kyma-project.io/validate': 'enabled' },
    annotations: { [istioNames.annotations.disclaimer]: istioNames.disclaimer },
  },
})
