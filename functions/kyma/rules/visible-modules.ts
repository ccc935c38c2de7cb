// The catalogue of a runtime: the ModuleTemplates and ModuleReleaseMetas that its owner may know of.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { remembered } from '../../../shared/core/memory/remembered.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { remoteOf, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isPickedUp } from '../../../shared/kyma/labels.ts'
import { isTooIntricate } from '../../../shared/kyma/modules/descriptor.ts'
import { metaOf, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'
import { isMandatory } from '../../../shared/kyma/modules/mandatory-templates.ts'
import { catalogueEntry } from '../desired/catalogue-entry.ts'
import type { World } from '../world.ts'
import { visibilityFault } from './visibility.ts'

type Seen = Pick<World, 'kyma' | 'settings' | 'catalogue'>

const { labels } = kymaNames

/** Whether the runtime gets a catalogue at all. Where it does not, what is there stays. */
export const hasCatalogue = ({ kyma }: Pick<World, 'kyma'>): boolean =>
  isShared(kyma) && remoteOf(kyma).moduleCatalog !== false

/** The objects of the catalogue as the runtime shall have them. */
export const visibleModules = (world: Seen): readonly KubeObject[] => {
  const { metas } = world.catalogue
  const released = metas.filter(isReleased).flatMap(meta => releasedModule(meta, world) ?? [])
  const modules = fitting([...released, ...unreleased(world).map(template => ({ templates: [template] }))])
  const templates = new Set(modules.flatMap(({ templates }) => templates))
  const namespace = syncNamespace(world.kyma)
  return [...modules.flatMap(({ meta }) => meta ?? []), ...templates].map(object => catalogueEntry(object, namespace))
}

const isReleased = (meta: ModuleReleaseMeta): boolean =>
  isPickedUp(meta) && !isDeleting(meta) && meta.spec.mandatory === undefined

type Shown = { readonly meta?: ModuleReleaseMeta; readonly templates: readonly ModuleTemplate[] }
type Released = Shown & { readonly meta: ModuleReleaseMeta }

/** Of a runtime no list is read that is larger than 32 MiB, and the notes of field managers may be longer than what they are about. */
const bytesMost = 12 * 2 ** 20

/** As many modules as a runtime can be read with, the smallest first: a huge one is left out of the catalogue, and no other for it. */
const fitting = (modules: readonly Shown[]): readonly Shown[] => {
  const sized = modules.map(module => ({ module, bytes: bytesOf(module) })).sort((a, b) => a.bytes - b.bytes)
  let bytes = 0
  const kept = new Set<Shown>()
  for (const one of sized) {
    bytes += one.bytes
    if (bytes <= bytesMost) kept.add(one.module)
  }
  return modules.filter(module => kept.has(module))
}

const bytesOf = ({ meta, templates }: Shown): number =>
  [...new Set<KubeObject>([...(meta ? [meta] : []), ...templates])].reduce((sum, object) => sum + entryBytes(object), 0)

const entryBytes = remembered((object: KubeObject): number =>
  Buffer.byteLength(JSON.stringify(catalogueEntry(object, ''))),
)

/**
 * The ModuleReleaseMeta with the channels that the Kyma may use; undefined when none is left. Its selector, which may name accounts of
 * others, is for the control plane alone.
 */
const releasedModule = (meta: ModuleReleaseMeta, world: Seen): Released | undefined => {
  const channels = (meta.spec.channels ?? []).flatMap(channel => {
    const template = templateNamed(`${meta.metadata.name}-${channel.version}`, world)
    return template && isVisible({ template, meta }, world) ? [{ channel, template }] : []
  })
  if (channels.length === 0) return undefined
  const { kymaSelector: _, ...shown } = meta.spec
  const spec = { ...shown, channels: channels.map(({ channel }) => channel) }
  return { meta: { ...meta, spec }, templates: channels.map(({ template }) => template) }
}

const templateNamed = (name: string, { catalogue }: Seen): ModuleTemplate | undefined =>
  catalogue.templates.find(template => template.metadata.name === name && isPickedUp(template))

/** ModuleTemplates that say themselves which channel they are for, of modules without a ModuleReleaseMeta. */
const unreleased = (world: Seen): readonly ModuleTemplate[] =>
  world.catalogue.templates.filter(template => {
    const module = moduleOfTemplate(template)
    const isFound = module !== undefined && Boolean(template.spec.channel) && !metaOf(module, world.catalogue)
    return isFound && isPickedUp(template) && isVisible({ template }, world)
  })

const isVisible = (
  found: { readonly template: ModuleTemplate; readonly meta?: ModuleReleaseMeta },
  { kyma, settings: { modules } }: Seen,
): boolean => {
  const { template, meta } = found
  const module = meta?.metadata.name ?? moduleOfTemplate(template) ?? ''
  return (
    isShared(template) &&
    !isMandatory(template) &&
    !isDeleting(template) &&
    !isTooIntricate(template.spec) &&
    visibilityFault(found, { kyma, module, restrictedModules: modules.restricted }) === undefined
  )
}

/** The label `sync` does not say false. */
const isShared = ({ metadata }: KubeObject): boolean => metadata.labels?.[labels.sync]?.toLowerCase() !== 'false'
