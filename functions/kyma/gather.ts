// Reads for kyma. A steady pass is three lists: ModuleTemplates, ModuleReleaseMetas and the Manifests of the Kyma. What more is needed
// is known by what they hold.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { isDeleting, type KubeObject } from '../../shared/core/object.ts'
import type { Kyma, Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { pulledDescriptors } from '../../shared/runtime/modules/descriptors.ts'
import type { RegistryCall } from '../../shared/runtime/modules/registry-call.ts'
import { signatures } from '../../shared/runtime/modules/signatures.ts'
import { specOfNewCopy } from './desired/kyma-copy.ts'
import { gatherCertificates } from './gather/certificates.ts'
import { definedModules, foundModules } from './gather/defined-modules.ts'
import { unlabelledManifests } from './gather/manifests.ts'
import { gatherRuntime, gatherRuntimeSource } from './gather/runtime.ts'
import { dueUpdates } from './gather/updates.ts'
import type { KymaRuntime } from './rules/runtime.ts'
import { isLeftAlone, type Wanted, type World } from './world.ts'

const { namespaces, labels } = kymaNames
const namespace = namespaces.controlPlane

export const gather = async (object: KubeObject, context: GatherContext, call: RegistryCall): Promise<World> => {
  const kyma = object as Kyma
  const { reads, installation } = context
  const known = unread(kyma, installation.kyma)
  if (isLeftAlone(kyma)) return known
  const labelSelector = `${labels.kymaName}=${kyma.metadata.name}`
  const [templates, metas, manifests, runtime, source, certificates] = await Promise.all([
    reads.list({ ...moduleTemplateKind, namespace }) as Promise<ModuleTemplate[]>,
    reads.list({ ...moduleReleaseMetaKind, namespace }) as Promise<ModuleReleaseMeta[]>,
    reads.list({ ...manifestKind, namespace, labelSelector }) as Promise<Manifest[]>,
    gatherRuntime(kyma, context),
    gatherRuntimeSource(kyma, context),
    gatherCertificates(kyma, reads),
  ])
  const there = { runtime, source, certificates, wanted: wantedOf(kyma, runtime) }
  const listed: World = { ...known, ...there, catalogue: { templates, metas }, manifests }
  const world = { ...listed, pulled: await pulledDescriptors(foundModules(listed), listed, call) }
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
  ...{ kyma, settings, wanted: kyma.spec, manifests: [], catalogue: { templates: [], metas: [] } },
  ...{ runtime: { is: 'off' }, source: { crds: [] }, certificates: [] },
  ...{ pulled: new Map(), signatureSecrets: new Map(), layerDigests: new Map() },
  ...{ releasedAt: new Map(), windows: { failed: 'the maintenance windows were not read' } },
})

/** What the owner of the runtime wrote into the copy counts. A Kyma that is being deleted wants nothing. */
const wantedOf = (kyma: Kyma, runtime: KymaRuntime): Wanted => {
  if (isDeleting(kyma)) return { ...kyma.spec, modules: [] }
  if (runtime.is !== 'there') return kyma.spec
  return runtime.copy?.spec ?? specOfNewCopy(kyma)
}
