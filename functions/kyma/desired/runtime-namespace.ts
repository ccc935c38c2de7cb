// The namespace of copy, catalogue and default objects of modules in a runtime.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const runtimeNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: {
      [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime,
      'istio-injection': 'enabled',
      'namespaces.warden.kyma-project.io/validate': 'enabled',
    },
  },
})
