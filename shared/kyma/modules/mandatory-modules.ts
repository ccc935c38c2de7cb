// The mandatory modules, which every Kyma gets without listing them. A module has one version: the version in its ModuleReleaseMeta, otherwise
// the highest version of its labelled ModuleTemplates.
import { compare, parse, type SemVer } from 'semver'
import { kymaNames } from '../../api/kyma/names.ts'
import type { Reading } from '../../core/decisions/reading.ts'
import { type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { isDeleting } from '../../core/objects/object.ts'
import { isLabelledMandatory, isPickedUp, type ModuleReleaseMeta, type ModuleTemplate } from '../kinds.ts'
import { layerNamed, type ModuleDescriptor, moduleDescriptor, namesComponent } from './descriptor.ts'
import { type FoundModule, type ModuleCatalogue, moduleOfTemplate } from './look-up.ts'

export type MandatoryModule = {
  readonly module: string
  readonly template: ModuleTemplate
  readonly descriptor: ModuleDescriptor
}

/** Why a mandatory module, or one of its versions, cannot be installed. */
export type MandatoryFault = { readonly regarding: ModuleTemplate | ModuleReleaseMeta; readonly text: string }

type Judged = (MandatoryModule & { readonly version: SemVer }) | { readonly fault: MandatoryFault }

const { labels, annotations } = kymaNames

/**
 * `pulled`: descriptors from the registry by the name of the ModuleTemplate, for ModuleTemplates without a descriptor. A module without any
 * descriptor is omitted.
 */
export const mandatoryModules = (
  catalogue: ModuleCatalogue,
  pulled: Pulled = new Map(),
): { readonly modules: readonly MandatoryModule[]; readonly faults: readonly MandatoryFault[] } => {
  const judged = [
    ...catalogue.metas.filter(decides).flatMap(meta => versionOfMeta(meta, catalogue, pulled)),
    ...countingTemplates(catalogue).map(template =>
      judgedVersion(template, moduleOfTemplate(template), { read: mapOrEmpty(template.spec.descriptor) }),
    ),
  ]
  return {
    modules: highestOfEach(judged.flatMap(one => ('fault' in one ? [] : one))),
    faults: judged.flatMap(one => ('fault' in one ? one.fault : [])),
  }
}

/** The modules that every Kyma should have, including modules that cannot be installed. */
export const mandatoryModuleNames = (catalogue: ModuleCatalogue): readonly string[] => [
  ...new Set([
    ...catalogue.metas.filter(decides).map(({ metadata }) => metadata.name),
    ...countingTemplates(catalogue).flatMap(template => moduleOfTemplate(template) ?? []),
  ]),
]

/** The name of the ModuleTemplate for a mandatory ModuleReleaseMeta. undefined for a ModuleReleaseMeta with channels. */
export const mandatoryTemplateName = ({ metadata, spec }: ModuleReleaseMeta): string | undefined =>
  spec.mandatory && `${metadata.name}-${spec.mandatory.version}`

const decides = (meta: ModuleReleaseMeta): boolean =>
  isPickedUp(meta) && !isDeleting(meta) && meta.spec.mandatory !== undefined

/**
 * Templates whose label installs the module without a ModuleReleaseMeta. If the module has a ModuleReleaseMeta, even in deletion, the
 * ModuleReleaseMeta decides instead. A template that a ModuleReleaseMeta used (annotation releasedBy) does not install the module after its deletion.
 */
const countingTemplates = ({ templates, metas }: ModuleCatalogue): readonly ModuleTemplate[] => {
  const decided = new Set(metas.filter(isPickedUp).map(({ metadata }) => metadata.name))
  return templates.filter(
    template =>
      isPickedUp(template) &&
      isLabelledMandatory(template) &&
      !isDeleting(template) &&
      template.metadata.annotations?.[annotations.releasedBy] === undefined &&
      !decided.has(moduleOfTemplate(template) ?? ''),
  )
}

export const usedByMetas = ({ templates, metas }: ModuleCatalogue): readonly FoundModule[] =>
  metas.filter(decides).flatMap(meta => {
    const template = templateOf(meta, templates)
    return template ? [{ template, meta, version: meta.spec.mandatory?.version }] : []
  })

const templateOf = (meta: ModuleReleaseMeta, templates: readonly ModuleTemplate[]): ModuleTemplate | undefined =>
  templates.find(one => one.metadata.name === mandatoryTemplateName(meta) && isPickedUp(one) && !isDeleting(one))

/** Each ModuleTemplate from which a mandatory module may be installed, in any version. */
export const declaredVersions = (
  catalogue: ModuleCatalogue,
): readonly { readonly module: string | undefined; readonly template: ModuleTemplate }[] => [
  ...usedByMetas(catalogue).map(({ meta, template }) => ({ module: meta?.metadata.name, template })),
  ...countingTemplates(catalogue).map(template => ({ module: moduleOfTemplate(template), template })),
]

type Pulled = ReadonlyMap<string, Reading<JsonMap>>

const versionOfMeta = (meta: ModuleReleaseMeta, { templates }: ModuleCatalogue, pulled: Pulled): Judged[] => {
  const template = templateOf(meta, templates)
  const called = mandatoryTemplateName(meta)
  if (!template)
    return [wrong(meta, `failed to get module template: ModuleTemplate.operator.kyma-project.io "${called}" not found`)]
  const own = mapOrEmpty(template.spec.descriptor)
  const isElsewhere = !namesComponent(own) && meta.spec.ocmComponentName
  const document = isElsewhere ? pulled.get(template.metadata.name) : { read: own }
  return document ? [judgedVersion(template, meta.metadata.name, document)] : []
}

const judgedVersion = (template: ModuleTemplate, module: string | undefined, document: Reading<JsonMap>): Judged => {
  if (!module)
    return wrong(template, `it refers to no module, neither in the label ${labels.moduleName} nor in spec.moduleName`)
  if ('failed' in document) return wrong(template, document.failed)
  const descriptor = moduleDescriptor(document.read)
  if ('failed' in descriptor) return wrong(template, descriptor.failed)
  const version = parse(descriptor.read.version)
  if (!version) return wrong(template, `component.version ${descriptor.read.version} is not a semantic version`)
  const fault = layerFault(descriptor.read)
  return fault === undefined ? { module, template, version, descriptor: descriptor.read } : wrong(template, fault)
}

const layerFault = (descriptor: ModuleDescriptor): string | undefined =>
  ['raw-manifest', 'config'].map(name => layerNamed(name, descriptor)).find(layer => 'failed' in layer)?.failed

const wrong = (regarding: MandatoryFault['regarding'], text: string): Judged => ({ fault: { regarding, text } })

/** The highest version of each module. If two ModuleTemplates have this version, the first by name counts, so that all passes agree. */
const highestOfEach = (all: readonly (MandatoryModule & { readonly version: SemVer })[]): MandatoryModule[] =>
  [...Map.groupBy(all, ({ module }) => module).values()].flatMap(versions =>
    versions
      .toSorted((one, other) => compare(other.version, one.version) || byName(one, other))
      .slice(0, 1)
      .map(({ module, template, descriptor }) => ({ module, template, descriptor })),
  )

const byName = (one: MandatoryModule, other: MandatoryModule): number =>
  one.template.metadata.name < other.template.metadata.name ? -1 : 1
