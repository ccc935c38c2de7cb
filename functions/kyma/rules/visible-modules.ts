// The modules that the owner of a runtime may see: their ModuleReleaseMetas and ModuleTemplates.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import {
  matchesLabels,
  structuredSelector,
  structuredSelectorFault,
} from '../../../shared/core/objects/label-selector.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import {
  isMandatory,
  isOn,
  isPickedUp,
  type Kyma,
  type ModuleReleaseMeta,
  type ModuleTemplate,
} from '../../../shared/kyma/kinds.ts'
import { remoteOf } from '../../../shared/kyma/kyma-runtime.ts'
import { type FoundModule, metaOf, moduleOfTemplate, templateNamed } from '../../../shared/kyma/modules/look-up.ts'
import type { World } from '../world.ts'

type Seen = Pick<World, 'kyma' | 'settings' | 'catalogue'>

// Modules in development and restricted modules are only for Kymas with matching labels.

const { labels } = kymaNames

/** Whether the runtime gets a catalogue. Otherwise existing objects stay. */
export const hasCatalogue = ({ kyma }: Pick<World, 'kyma'>): boolean =>
  isShared(kyma) && remoteOf(kyma).moduleCatalog !== false

type Channel = NonNullable<ModuleReleaseMeta['spec']['channels']>[number]

export type VisibleVersion = { readonly channel?: Channel; readonly template: ModuleTemplate }

/**
 * The versions that the Kyma may use: one per channel of the ModuleReleaseMeta. Without a ModuleReleaseMeta, the only version is a
 * ModuleTemplate that names the channel itself.
 */
export type VisibleModule = { readonly meta?: ModuleReleaseMeta; readonly versions: readonly VisibleVersion[] }

export const visibleModules = (world: Seen): readonly VisibleModule[] => [
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
