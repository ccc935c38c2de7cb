// The content of the catalogue in a runtime: the visible modules, limited to the size that can be read from a runtime.

import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { BoundedCache } from '../../../shared/core/memory/bounded-cache.ts'
import { remembered } from '../../../shared/core/memory/remembered.ts'
import { type KubeObject, refOf, refText, versionText } from '../../../shared/core/objects/object.ts'
import type { ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isTooIntricate, tooIntricate } from '../../../shared/kyma/modules/descriptor.ts'
import type { World } from '../world.ts'
import { type VisibleModule, type VisibleVersion, visibleModules } from './visible-modules.ts'

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
