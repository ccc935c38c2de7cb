// The modules that the owner of a runtime may see, and the catalogue in the runtime that shows them, limited to the size that can be read
// from a runtime.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { BoundedCache } from '../../../shared/core/memory/bounded-cache.ts'
import { remembered } from '../../../shared/core/memory/remembered.ts'
import {
  matchesLabels,
  structuredSelector,
  structuredSelectorFault,
} from '../../../shared/core/objects/label-selector.ts'
import { isDeleting, type KubeObject, refOf, refText, versionText } from '../../../shared/core/objects/object.ts'
import {
  isMandatory,
  isOn,
  isPickedUp,
  type Kyma,
  type ModuleReleaseMeta,
  type ModuleTemplate,
} from '../../../shared/kyma/kinds.ts'
import { remoteOf, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isTooIntricate, tooIntricate } from '../../../shared/kyma/modules/descriptor.ts'
import { type FoundModule, metaOf, moduleOfTemplate, templateNamed } from '../../../shared/kyma/modules/look-up.ts'
import type { World } from '../world.ts'

type Seen = Pick<World, 'kyma' | 'settings' | 'catalogue'>

// Modules in development and restricted modules are only for Kymas with matching labels.

const { labels } = kymaNames

/** Whether the runtime gets a catalogue. Otherwise existing objects stay. */
export const hasCatalogue = ({ kyma }: Pick<World, 'kyma'>): boolean =>
  isShared(kyma) && remoteOf(kyma).moduleCatalog !== false

type Channel = NonNullable<ModuleReleaseMeta['spec']['channels']>[number]

type VisibleVersion = { readonly channel?: Channel; readonly template: ModuleTemplate }

/**
 * The versions that the Kyma may use: one per channel of the ModuleReleaseMeta. Without a ModuleReleaseMeta, the only version is a
 * ModuleTemplate that names the channel itself.
 */
type VisibleModule = { readonly meta?: ModuleReleaseMeta; readonly versions: readonly VisibleVersion[] }

const visibleModules = (world: Seen): readonly VisibleModule[] => [
  ...world.catalogue.metas.filter(isReleased).map(meta => ({ meta, versions: releasedVersions(meta, world) })),
  ...unreleased(world).map(template => ({ versions: [{ template }] })),
]

const isReleased = (meta: ModuleReleaseMeta): boolean =>
  isPickedUp(meta) && !isDeleting(meta) && meta.spec.mandatory === undefined

const releasedVersions = (meta: ModuleReleaseMeta, world: Seen): readonly VisibleVersion[] =>
  (meta.spec.channels ?? []).flatMap(channel => {
    const template = templateNamed(`${meta.metadata.name}-${channel.version}`, world.catalogue)
    return template && isVisible({ template, meta }, world) ? [{ channel, template }] : []
  })

/** ModuleTemplates that name a channel, of modules without a ModuleReleaseMeta. */
const unreleased = (world: Seen): readonly ModuleTemplate[] =>
  world.catalogue.templates.filter(template => {
    const module = moduleOfTemplate(template)
    const isFound = module !== undefined && Boolean(template.spec.channel) && !metaOf(module, world.catalogue)
    return isFound && isPickedUp(template) && isVisible({ template }, world)
  })

const isVisible = (
  found: { readonly template: ModuleTemplate; readonly meta?: ModuleReleaseMeta },
  { kyma, settings: { restrictedModules } }: Seen,
): boolean => {
  const { template, meta } = found
  const module = meta?.metadata.name ?? moduleOfTemplate(template) ?? ''
  return (
    isShared(template) &&
    !isMandatory(template) &&
    !isDeleting(template) &&
    visibilityFault(found, { kyma, module, restrictedModules }) === undefined
  )
}

/** Whether label `sync` is not false. */
const isShared = ({ metadata }: KubeObject): boolean => metadata.labels?.[labels.sync]?.toLowerCase() !== 'false'

const notAllowed = 'module template not allowed'

type Visibility = { readonly kyma: Kyma; readonly module: string; readonly restrictedModules: readonly string[] }

/** Why the Kyma may not have the module, with the texts of the Go operator. undefined: it may. */
export const visibilityFault = ({ template, meta }: Partial<FoundModule>, to: Visibility): string | undefined => {
  const { kyma, module, restrictedModules } = to
  const hidden = (['internal', 'beta'] as const).find(
    label => template && isOn(template, labels[label]) && !isOn(kyma, labels[label]),
  )
  if (hidden) return `${notAllowed}: ${hidden} module`
  const selector = structuredSelector(meta?.spec.kymaSelector)
  const isRestricted = meta !== undefined && restrictedModules.includes(module)
  if (!isRestricted) return selector && `${notAllowed}: module has kymaSelector but is not in restricted modules list`
  if (!selector) return notAllowed
  const fault = structuredSelectorFault(meta.spec.kymaSelector)
  if (fault !== undefined) return `${notAllowed}: failed to parse kymaSelector on ModuleReleaseMeta: ${fault}`
  // In Kubernetes an empty selector usually selects everything. Here it selects no Kyma.
  const isSelected = selector.length > 0 && matchesLabels(selector, kyma.metadata.labels)
  return isSelected ? undefined : `${notAllowed}: restricted module not allowed for this Kyma`
}

type RuntimeCatalogue = {
  readonly objects: readonly KubeObject[]
  /** The omitted objects and the reasons: `ModuleReleaseMeta kcp-system/huge: …`. */
  readonly leftOut: readonly string[]
}

export const runtimeCatalogue = remembered(
  (world: Pick<World, 'kyma' | 'settings' | 'catalogue'>): RuntimeCatalogue => {
    const visible = visibleModules(world)
    const readable = visible.flatMap(withoutIntricate).map(shownModule)
    const modules = fitting(readable)
    const templates = new Set(modules.flatMap(one => one.templates))
    const namespace = syncNamespace(world.kyma)
    return {
      objects: [...modules.flatMap(({ meta }) => meta ?? []), ...templates].map(one => catalogueEntry(one, namespace)),
      leftOut: [
        ...new Set(visible.flatMap(({ versions }) => versions.filter(isIntricate)).map(intricateText)),
        ...readable.filter(module => !modules.includes(module)).map(tooLargeText),
      ],
    }
  },
)

const isIntricate = ({ template }: VisibleVersion): boolean => measured(template).isIntricate

const intricateText = ({ template }: VisibleVersion): string => `${refText(refOf(template))}: spec ${tooIntricate}`

const withoutIntricate = ({ meta, versions }: VisibleModule): VisibleModule[] => {
  const left = versions.filter(version => !isIntricate(version))
  return left.length === 0 ? [] : [{ ...(meta && { meta }), versions: left }]
}

type Shown = { readonly meta?: ModuleReleaseMeta; readonly templates: readonly ModuleTemplate[] }

/** The ModuleReleaseMeta keeps only these channels. Its selector is removed, because it may name accounts of other customers. */
const shownModule = ({ meta, versions }: VisibleModule): Shown => {
  const templates = versions.map(({ template }) => template)
  if (!meta) return { templates }
  const { kymaSelector: _, ...shown } = meta.spec
  return {
    meta: { ...meta, spec: { ...shown, channels: versions.flatMap(({ channel }) => channel ?? []) } },
    templates,
  }
}

/** Lists of a runtime are read up to 32 MiB, and managed fields may be larger than the objects. */
const mebibytesMost = 12

/** The modules that fit into the limit, smallest first. So a huge module is omitted, and does not displace other modules. */
const fitting = (modules: readonly Shown[]): readonly Shown[] => {
  const sized = modules.map(module => ({ module, bytes: bytesOf(module) })).sort((a, b) => a.bytes - b.bytes)
  let bytes = 0
  const kept = new Set<Shown>()
  for (const one of sized) {
    bytes += one.bytes
    if (bytes <= mebibytesMost * 2 ** 20) kept.add(one.module)
  }
  return modules.filter(module => kept.has(module))
}

const tooLargeText = ({ meta, templates: [template] }: Shown): string =>
  [meta ?? template].flatMap(object => (object ? refText(refOf(object)) : [])) +
  `: it would make the catalogue larger than ${mebibytesMost} MiB`

const bytesOf = ({ meta, templates }: Shown): number =>
  [...new Set(templates)].reduce((sum, template) => sum + measured(template).bytes, meta ? entryBytes(meta) : 0)

/** `bytes` is 0 for a template with too deep or too many values. */
type Measured = { readonly isIntricate: boolean; readonly bytes: number }

const measured = (template: ModuleTemplate): Measured => {
  const version = versionText(template)
  const before = version && known.get(version)
  if (before) return before
  const isIntricate = isTooIntricate(template.spec)
  const measures = { isIntricate, bytes: isIntricate ? 0 : entryBytes(template) }
  if (version) known.set(version, measures)
  return measures
}

/** Cached by version of the ModuleTemplate, because each read of the catalogue creates new copies of the same hundreds of objects. */
const known = new BoundedCache<string, Measured>(5_000)

const entryBytes = (object: KubeObject): number => Buffer.byteLength(JSON.stringify(catalogueEntry(object, '')))

/** Annotations that have no meaning in a runtime. */
const ownNotes = ['kubectl.kubernetes.io/last-applied-configuration', kymaNames.annotations.releasedBy]

/** A ModuleTemplate or ModuleReleaseMeta as the catalogue of a runtime shows it. */
const catalogueEntry = ({ apiVersion, kind, metadata, spec }: KubeObject, namespace: string): KubeObject => {
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
