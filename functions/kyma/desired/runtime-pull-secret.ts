// The Secret for pulling images in the runtime, copied from the control plane.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const runtimePullSecret = ({ metadata, type, data }: KubeObject, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: metadata.name,
    namespace,
    labels: { [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime },
  },
  type,
  data: data ?? {},
})
