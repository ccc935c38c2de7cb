// Reads for mandatory-modules-delete, with concurrent requests.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import type { GroupVersionKind, KubeObject } from '../../shared/core/objects/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { type Manifest, type ModuleReleaseMeta, type ModuleTemplate, withSpec } from '../../shared/kyma/kinds.ts'
import type { World } from './world.ts'

const { namespaces, labels } = kymaNames
const namespace = namespaces.controlPlane

export const gather = async (_namespace: KubeObject, { reads }: { reads: Reads }): Promise<World> => {
  const elsewhere = (kind: GroupVersionKind) =>
    reads.list({ ...kind, fieldSelector: `metadata.namespace!=${namespace}`, metadataOnly: true })
  const [templates, metas, manifests, ...others] = await Promise.all([
    reads.list({ ...moduleTemplateKind, namespace }),
    reads.list({ ...moduleReleaseMetaKind, namespace }),
    reads.list({ ...manifestKind, namespace, labelSelector: `${labels.mandatoryModule}=true` }),
    ...[kymaKind, moduleTemplateKind, moduleReleaseMetaKind].map(elsewhere),
  ])
  const catalogue = {
    templates: templates.map(withSpec<ModuleTemplate>),
    metas: metas.map(withSpec<ModuleReleaseMeta>),
  }
  return { catalogue, manifests: manifests.map(withSpec<Manifest>), elsewhere: others.flat() }
}
