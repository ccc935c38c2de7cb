// Reads for mandatory-modules-install: first the labelled Manifests, then the catalogue, then each needed Manifest that the first list lacks.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { type Measurement, type Metric, stateMeasurements } from '../../shared/core/decisions/measurement.ts'
import { hasFinalizer, isDeleting, type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import type { ReadClusters } from '../../shared/kube/client-types.ts'
import { reading } from '../../shared/kube/reading.ts'
import {
  isLabelledMandatory,
  isOfAnother,
  isOn,
  isPickedUp,
  type Kyma,
  kymaNameOf,
  type Manifest,
  type ModuleReleaseMeta,
  type ModuleTemplate,
  moduleNameOf,
  usualStates,
  withSpec,
} from '../../shared/kyma/kinds.ts'
import { isRemote, nameFault, runtimeName, syncNamespace } from '../../shared/kyma/kyma-runtime.ts'
import { type ModuleOfKyma, manifestNames } from '../../shared/kyma/manifests.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../shared/kyma/modules/look-up.ts'
import {
  type MandatoryModule,
  mandatoryModuleNames,
  mandatoryModules,
  mandatoryTemplateName,
  usedByMetas,
} from '../../shared/kyma/modules/mandatory-modules.ts'
import { signatureOf } from '../../shared/kyma/modules/signature.ts'
import type { RegistrySettings } from '../../shared/kyma/settings.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { SeenMetrics } from '../../shared/runtime/definition.ts'
import { readCatalogue, unlabelledManifests } from '../../shared/runtime/modules/catalogue.ts'
import { pulledDescriptors, signatures } from '../../shared/runtime/modules/descriptors.ts'
import type { RegistryCall } from '../../shared/runtime/modules/registry-call.ts'
import { readCopy, rivalOf } from '../../shared/runtime/rivals.ts'
import { abandonedManifests } from './rules/abandoned.ts'
import type { World } from './world.ts'

const { namespaces, labels, finalizers } = kymaNames
const namespace = namespaces.controlPlane

type Context = Pick<GatherContext<RegistrySettings>, 'reads' | 'settings'>
type Gathering = Context & Pick<GatherContext, 'memory' | 'clusters'>

export const gather = async (object: KubeObject, gathering: Gathering, call: RegistryCall): Promise<World> => {
  const { reads, settings } = gathering
  const kyma = withSpec<Kyma>(object)
  if (!isInstalledFor(kyma)) return { kyma, settings, ...nothing }
  // The Manifests are read before the catalogue. A Manifest is created after its declaration, so the catalogue contains the declaration of
  // each Manifest that was read.
  const labelSelector = `${labels.kymaName}=${kyma.metadata.name}`
  const listed = (await reads.list({ ...manifestKind, namespace, labelSelector })).map(withSpec<Manifest>)
  const { templates, metas } = await readCatalogue(gathering)
  const pulled = await pulledDescriptors(usedByMetas({ templates, metas }), { settings }, call)
  const { modules, faults } = mandatoryModules({ templates, metas }, pulled)
  const [evidence, others] = await Promise.all([
    signatures(
      modules.map(module => ({ name: module.module, module })),
      { settings },
      { reads, call },
    ),
    unlabelledManifests(modules.map(ofKyma(kyma)), listed, reads),
  ])
  const unpulled = faults.filter(({ regarding }) => pulled.has(regarding.metadata.name))
  const abandoned = abandonedManifests(listed, kyma, { templates, metas })
  const manifests = [...listed, ...others]
  const names = new Set(manifests.map(({ metadata }) => metadata.name))
  const isComplete = modules.every(module => manifestNames(ofKyma(kyma)(module)).some(name => names.has(name)))
  const rival = isComplete ? undefined : await rivalIn(kyma, gathering)
  const known = {
    kyma,
    settings,
    modules,
    unpulled,
    leavingTemplates: templates.filter(isDeleting),
    abandoned,
    ...evidence,
  }
  return { ...known, manifests, ...(rival && { rival }) }
}

/** Another Kyma that has the runtime. undefined if the runtime does not answer; the Manifest then reports the runtime. */
const rivalIn = async (kyma: Kyma, { clusters, reads }: Gathering): Promise<Key | undefined> => {
  if (!isRemote(kyma)) return undefined
  const there = await reading(copyIn(kyma, clusters))
  return 'failed' in there ? undefined : rivalOf(keyOf(kyma), { ...there.read, reads, clusters })
}

const copyIn = async (kyma: Kyma, clusters: ReadClusters) => {
  const client = await clusters.of(runtimeName(kyma.metadata.name))
  return { client, copy: await readCopy(client, syncNamespace(kyma)) }
}

const nothing = {
  modules: [],
  unpulled: [],
  leavingTemplates: [],
  abandoned: [],
  manifests: [],
  signatureSecrets: new Map(),
  layerDigests: new Map(),
}

const ofKyma =
  ({ metadata }: Kyma) =>
  ({ module, descriptor: { component } }: MandatoryModule): ModuleOfKyma => ({ kyma: metadata.name, component, module })

const names = { modules: 'lifecycle_mgr_mandatory_modules', state: 'lifecycle_mgr_mandatory_module_state' }

const mandatoryMetrics: readonly Metric[] = [
  { name: names.modules, type: 'gauge', labels: [], help: 'Number of mandatory modules' },
  {
    name: names.state,
    type: 'gauge',
    labels: ['module_name', 'kyma_name', 'state'],
    help: 'Whether a mandatory module of a Kyma is in this state',
  },
]

export const seenMandatoryModules: SeenMetrics = {
  metrics: mandatoryMetrics,
  read: async ({ reads }) => {
    const labelSelector = `${labels.mandatoryModule}=true`
    const cached = { namespace, fromCache: true }
    const [templates, metas, manifests] = await Promise.all([
      reads.list({ ...moduleTemplateKind, ...cached }),
      reads.list({ ...moduleReleaseMetaKind, ...cached }),
      reads.list({ ...manifestKind, ...cached, labelSelector }),
    ])
    const catalogue = {
      templates: templates.map(withSpec<ModuleTemplate>),
      metas: metas.map(withSpec<ModuleReleaseMeta>),
    }
    return mandatoryMeasurements(catalogue, (manifests as Manifest[]).filter(isPickedUp))
  },
}

/** `manifests`: the Manifests of mandatory modules. */
const mandatoryMeasurements = (catalogue: ModuleCatalogue, manifests: readonly Manifest[]): readonly Measurement[] => [
  { metric: names.modules, set: mandatoryModuleNames(catalogue).length },
  ...manifests.flatMap(manifest =>
    stateMeasurements(names.state, {
      states: usualStates,
      now: manifest.status?.state,
      labels: { module_name: moduleNameOf(manifest) ?? '', kyma_name: kymaNameOf(manifest) },
    }),
  ),
]

/** All Kymas, if the ModuleTemplate, ModuleReleaseMeta or Secret concerns mandatory modules; otherwise no Kymas. */
export const kymasToCall = async (object: KubeObject, context: Context): Promise<Key[]> => {
  const { reads } = context
  const concerns = object.kind === 'Secret' ? verifiesMandatoryModules : isOfMandatoryModule
  if (!(await concerns(object, context))) return []
  // If a Kyma is not in the cache yet, its own creation calls it.
  const kymas = await reads.list({ ...kymaKind, namespace, fromCache: true, metadataOnly: true })
  return kymas.map(keyOf)
}

/** An object that was mandatory before still has our finalizer. */
const isOfMandatoryModule = async (object: KubeObject, { reads }: Context): Promise<boolean> => {
  if (hasFinalizer(object, finalizers.mandatoryModule)) return true
  if (object.kind === moduleTemplateKind.kind) {
    const template = object as ModuleTemplate
    if (isLabelledMandatory(template)) return true
    const metas = (await reads.list({ ...moduleReleaseMetaKind, namespace, fromCache: true })).map(
      withSpec<ModuleReleaseMeta>,
    )
    return metas.some(meta => mandatoryTemplateName(meta) === template.metadata.name)
  }
  const meta = withSpec<ModuleReleaseMeta>(object)
  if (meta.spec.mandatory) return true
  const templates = (await reads.list({ ...moduleTemplateKind, namespace, fromCache: true })).map(
    withSpec<ModuleTemplate>,
  )
  return templates.some(one => isLabelledMandatory(one) && moduleOfTemplate(one) === meta.metadata.name)
}

/** Whether keys of the Secret verify modules that are, or may become, mandatory. */
const verifiesMandatoryModules = async ({ metadata }: KubeObject, { reads, settings }: Context): Promise<boolean> => {
  const signature = metadata.labels?.[labels.signature]
  const query = { ...moduleTemplateKind, namespace, metadataOnly: true, fromCache: true }
  const templates = (await reads.list(query)) as ModuleTemplate[]
  return templates.some(template => signatureOf(template, { settings }) === signature)
}

const isInstalledFor = (kyma: Kyma): boolean =>
  !isDeleting(kyma) &&
  !isOfAnother(kyma) &&
  !isOn(kyma, kymaNames.labels.skipReconciliation) &&
  nameFault(kyma) === undefined
