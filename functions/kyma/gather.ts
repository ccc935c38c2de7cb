// Reads for kyma. A steady pass is three lists: ModuleTemplates, ModuleReleaseMetas and the Manifests of the Kyma. What more is needed
// is known by what they hold.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { isDeleting, type KubeObject } from '../../shared/core/object.ts'
import type { Kyma, Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { KymaCall } from './gather/call.ts'
import { definedModules } from './gather/defined-modules.ts'
import { pulledDescriptors } from './gather/descriptors.ts'
import { unlabelledManifests } from './gather/manifests.ts'
import { signatures } from './gather/signatures.ts'
import { dueUpdates } from './gather/updates.ts'
import { isLeftAlone, type Wanted, type World } from './world.ts'

const { namespaces, labels } = kymaNames
const namespace = namespaces.controlPlane

type Context = Pick<GatherContext, 'reads' | 'installation'>

export const gather = async (object: KubeObject, { reads, installation }: Context, call: KymaCall): Promise<World> => {
  const kyma = object as Kyma
  const known = unread(kyma, installation.kyma)
  if (isLeftAlone(kyma)) return known
  const [templates, metas, manifests] = (await Promise.all([
    reads.list({ ...moduleTemplateKind, namespace }),
    reads.list({ ...moduleReleaseMetaKind, namespace }),
    reads.list({ ...manifestKind, namespace, labelSelector: `${labels.kymaName}=${kyma.metadata.name}` }),
  ])) as [ModuleTemplate[], ModuleReleaseMeta[], Manifest[]]
  const listed: World = { ...known, catalogue: { templates, metas }, manifests }
  const world = { ...listed, pulled: await pulledDescriptors(listed, call) }
  const modules = definedModules(world)
  const [updates, signed, unlabelled] = await Promise.all([
    dueUpdates(modules, world, reads),
    signatures(modules, world, { reads, call }),
    unlabelledManifests(modules, world, reads),
  ])
  return { ...world, ...updates, ...signed, manifests: [...manifests, ...unlabelled] }
}

/** What is known of a Kyma without a read. */
const unread = (kyma: Kyma, settings: World['settings']): World => ({
  ...{ kyma, settings, wanted: wantedOf(kyma), manifests: [], catalogue: { templates: [], metas: [] } },
  ...{ pulled: new Map(), signatureSecrets: new Map(), layerDigests: new Map() },
  ...{ releasedAt: new Map(), windows: { failed: 'the maintenance windows were not read' } },
})

/** A Kyma that is being deleted wants nothing. */
const wantedOf = (kyma: Kyma): Wanted => (isDeleting(kyma) ? { ...kyma.spec, modules: [] } : kyma.spec)
