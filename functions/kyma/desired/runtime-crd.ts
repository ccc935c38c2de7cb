// A CustomResourceDefinition as runtimes get it from the control plane.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** The conversion webhook of the control plane is left out, because no runtime reaches it. */
export const runtimeCrd = ({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, labels: { [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime } },
  spec: { ...mapOrEmpty(spec), conversion: { strategy: 'None' } },
})
