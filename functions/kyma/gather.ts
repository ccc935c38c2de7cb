// Reads for kyma. Every pass lists ModuleTemplates, ModuleReleaseMetas and the Kyma's Manifests, and reads the access Secret and the copy
// in the runtime. The content of these objects determines further reads.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { isOfAnother, type Kyma, type Manifest, moduleNameOf, withSpec } from '../../shared/kyma/kinds.ts'
import { nameFault } from '../../shared/kyma/kyma-runtime.ts'
import type { ModuleOfKyma } from '../../shared/kyma/manifests.ts'
import { type BegunCall, type GatherContext, withSharedReads } from '../../shared/runtime/context.ts'
import type { SeenMetrics, SeenOfEach } from '../../shared/runtime/definition.ts'
import { type Marking, markingFor } from '../../shared/runtime/marks.ts'
import { readCatalogue, unlabelledManifests } from '../../shared/runtime/modules/catalogue.ts'
import { pulledDescriptors, signatures } from '../../shared/runtime/modules/descriptors.ts'
import { type RegistryCall, registryCall } from '../../shared/runtime/modules/registry-call.ts'
import { specOfNewCopy } from './desired/runtime-objects.ts'
import { gatherCertificates } from './gather/agent.ts'
import { gatherThere } from './gather/runtime-and-source.ts'
import { definedModules, dueUpdates, foundModules, type KnownModule, windowsIn } from './gather/updates.ts'
import { copyUnusable } from './reasons.ts'
import { copyFault } from './rules/copy-fault.ts'
import { kymaMeasurements, kymaMetrics, windowsMeasurement, windowsMetric } from './rules/metrics.ts'
import type { KymaRuntime } from './rules/runtime.ts'
import type { KymaSettings } from './settings.ts'
import { hasLabelAndFinalizer, isLeftAlone, type Wanted, type World } from './world.ts'

const { namespaces, labels } = kymaNames
const namespace = namespaces.controlPlane

export type KymaCall = RegistryCall & { readonly marking: Marking }

export const kymaCall = (call: BegunCall<KymaSettings>): KymaCall => ({
  ...registryCall(call),
  marking: markingFor('kyma', call),
})

export const gather = async (object: KubeObject, own: GatherContext<KymaSettings>, call: KymaCall): Promise<World> => {
  const kyma = withSpec<Kyma>(object)
  const context = withSharedReads(own)
  const { reads, settings } = context
  const known = unread(kyma, settings)
  const isNew = !isDeleting(kyma) && !hasLabelAndFinalizer(kyma)
  if (isLeftAlone(kyma) || isNew || nameFault(kyma) !== undefined) return known
  const labelSelector = `${labels.kymaName}=${kyma.metadata.name}`
  const listing = readCatalogue(context)
  const [catalogue, found, there, certificates] = await Promise.all([
    listing,
    reads.list({ ...manifestKind, namespace, labelSelector }),
    gatherThere(kyma, { ...context, marking: call.marking, catalogue: listing }).then(there =>
      withUsableCopy(kyma, there),
    ),
    gatherCertificates(kyma, reads),
  ])
  const manifests = found.map(withSpec<Manifest>)
  const wanted = wantedOf(kyma, there.runtime)
  const listed: World = { ...known, ...there, certificates, wanted, catalogue, manifests }
  const world = { ...listed, pulled: await pulledDescriptors(foundModules(listed), listed, call) }
  const modules = definedModules(world)
  const [updates, signed, unlabelled] = await Promise.all([
    dueUpdates(modules, world, reads),
    signatures(modules, world, { reads, call }),
    unlabelledManifests(modules.filter(isInStatus).map(ofKyma(kyma)), manifests, reads),
  ])
  return { ...world, ...updates, ...signed, manifests: [...manifests, ...unlabelled] }
}

type There = Pick<World, 'runtime' | 'source'>

/** If the copy cannot be used, the runtime counts as away. A Kyma in deletion does not need the copy. */
const withUsableCopy = (kyma: Kyma, there: There): There => {
  const copy = 'copy' in there.runtime ? there.runtime.copy : undefined
  const fault = copy && !isDeleting(kyma) ? copyFault(copy) : undefined
  return fault === undefined ? there : { ...there, runtime: { is: 'away', fault: copyUnusable(fault) } }
}

/**
 * A module that is not in the status yet usually has no Manifest, so its Manifest is created without a search. If a Manifest without the
 * label exists, the creation fails, the status shows this, and the next call finds the Manifest.
 */
const isInStatus = ({ status }: KnownModule): boolean => status !== undefined

const ofKyma =
  ({ metadata }: Kyma) =>
  ({ name, module: { descriptor } }: KnownModule): ModuleOfKyma => ({
    kyma: metadata.name,
    component: descriptor.component,
    module: name,
  })

const unread = (kyma: Kyma, settings: World['settings']): World => ({
  kyma,
  settings,
  wanted: kyma.spec,
  manifests: [],
  catalogue: { templates: [], metas: [] },
  runtime: { is: 'off' },
  source: { crds: [] },
  certificates: [],
  pulled: new Map(),
  signatureSecrets: new Map(),
  layerDigests: new Map(),
  releasedAt: new Map(),
  windows: { failed: 'the maintenance windows were not read' },
})

/** The copy in the runtime overrides modules and channel. A Kyma in deletion has no desired modules. */
const wantedOf = (kyma: Kyma, runtime: KymaRuntime): Wanted => {
  if (isDeleting(kyma)) return { ...kyma.spec, modules: [] }
  if (runtime.is !== 'there' && runtime.is !== 'inOrder') return kyma.spec
  return runtime.copy?.spec ?? specOfNewCopy(kyma)
}

/** Gauges of all Kymas, read when metrics are scraped. */
export const seenKymas: SeenOfEach = {
  metrics: kymaMetrics,
  begin: async ({ reads }) => {
    const named = { namespace: kymaNames.namespaces.controlPlane, metadataOnly: true, fromCache: true }
    const [metas, templates] = await Promise.all([
      reads.list({ ...moduleReleaseMetaKind, ...named }),
      reads.list({ ...moduleTemplateKind, ...named }),
    ])
    const declared = new Set([...metas.map(({ metadata }) => metadata.name), ...templates.map(moduleNameOf)])
    return (object: KubeObject) => (isOfAnother(object) ? [] : kymaMeasurements(object as Kyma, declared))
  },
}

export const seenWindows: SeenMetrics<KymaSettings> = {
  metrics: [windowsMetric],
  read: async ({ settings }) => [windowsMeasurement(await windowsIn(settings.windowPolicyFile))],
}
