// A ModuleTemplate or ModuleReleaseMeta as the catalogue of a runtime shows it.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** Notes of the control plane that mean nothing in a runtime. */
const ownNotes = ['kubectl.kubernetes.io/last-applied-configuration', kymaNames.annotations.releasedBy]

export const catalogueEntry = ({ apiVersion, kind, metadata, spec }: KubeObject, namespace: string): KubeObject => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownNotes.includes(name))
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      namespace,
      labels: { ...metadata.labels, [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime },
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    spec,
  }
}
