// The generators and transformers that a kustomization configures in its own fields. The transformers run in the order of the table.
import type { FieldConfig } from './fields/field-config.ts'
import { mergedSpecs } from './fields/field-spec.ts'
import type { Label } from './files/arguments.ts'
import type { Folder } from './files/folder.ts'
import type { Kustomization } from './files/kustomization.ts'
import { type GeneratedKind, generated, withOptions } from './generate.ts'
import type { Schemas } from './merge/schemas.ts'
import type { Resource } from './objects/resource.ts'
import { imaging } from './transform/images.ts'
import { prefixing, suffixing } from './transform/names.ts'
import { namespacing } from './transform/namespace.ts'
import { type Patching, patching, patchingByName, patchingJson } from './transform/patches.ts'
import { replacing } from './transform/replacements.ts'
import { addingEntries, replicating, type Transform } from './transform/transformer.ts'

/** `kind` is for buildMetadata. */
type BuiltIn<Made> = { readonly kind: string; readonly made: Made }

export const builtInGenerators = (
  kustomization: Kustomization,
  folder: Folder,
  schemas: Schemas,
): BuiltIn<Resource>[] => {
  const kinds = [
    ['ConfigMap', kustomization.configMapGenerator],
    ['Secret', kustomization.secretGenerator],
  ] as const satisfies readonly (readonly [GeneratedKind, unknown])[]
  return kinds.flatMap(([kind, all]) =>
    all
      .map(args => withOptions(args, kustomization.generatorOptions))
      .map(args => ({ kind: `${kind}Generator`, made: generated(kind, args, folder, schemas.isClusterScoped) })),
  )
}

export const builtInTransformers = (
  kustomization: Kustomization,
  config: FieldConfig,
  folder: Folder,
  schemas: Schemas,
): BuiltIn<Transform>[] => {
  const settings = { kustomization, config, patching: { schemas, folder } }
  return Object.entries(transformers).flatMap(([kind, make]) => make(settings).map(made => ({ kind, made })))
}

type Settings = { readonly kustomization: Kustomization; readonly config: FieldConfig; readonly patching: Patching }

const unless = (isEmpty: boolean, make: () => Transform): Transform[] => (isEmpty ? [] : [make()])

const transformers: Readonly<Record<string, (settings: Settings) => Transform[]>> = {
  PatchStrategicMergeTransformer: ({ kustomization: { patchesStrategicMerge: entries }, patching }) =>
    unless(entries.length === 0, () => patchingByName(entries, patching)),
  PatchTransformer: ({ kustomization, patching: all }) => kustomization.patches.map(patch => patching(patch, all)),
  NamespaceTransformer: ({ kustomization: { namespace }, config }) =>
    unless(namespace === '', () => namespacing(namespace, { specs: config.namespace })),
  PrefixTransformer: ({ kustomization: { namePrefix }, config }) =>
    unless(namePrefix === '', () => prefixing(namePrefix, config.namePrefix)),
  SuffixTransformer: ({ kustomization: { nameSuffix }, config }) =>
    unless(nameSuffix === '', () => suffixing(nameSuffix, config.nameSuffix)),
  LabelTransformer: settings => labelTransformers(settings),
  AnnotationsTransformer: ({ kustomization: { commonAnnotations: texts }, config }) =>
    unless(Object.keys(texts).length === 0, () => addingEntries(texts, config.commonAnnotations)),
  PatchJson6902Transformer: ({ kustomization: { patchesJson6902 }, patching }) =>
    patchesJson6902.map(patch => patchingJson(patch, patching)),
  ReplicaCountTransformer: ({ kustomization: { replicas }, config }) =>
    replicas.map(replica => replicating(replica, config.replicas)),
  ImageTagTransformer: ({ kustomization: { images }, config }) => images.map(image => imaging(image, config.images)),
  ReplacementTransformer: ({ kustomization: { replacements }, patching: { folder } }) =>
    unless(replacements.length === 0, () => replacing(replacements, folder)),
}

/** One transformer for each entry of `labels`, and one for `commonLabels` even if it is empty. */
const labelTransformers = ({ kustomization: { labels, commonLabels }, config }: Settings): Transform[] => {
  if (labels.length === 0 && Object.keys(commonLabels).length === 0) return []
  return [
    ...labels.map(label => addingEntries(label.pairs ?? {}, labelSpecs(label, config))),
    addingEntries(commonLabels, config.commonLabels),
  ]
}

const labelSpecs = ({ fields = [], includeSelectors, includeTemplates }: Label, config: FieldConfig) => {
  const named = mergedSpecs(fields, config.labels)
  if (includeSelectors) return mergedSpecs(named, config.commonLabels)
  const withTemplates = includeTemplates ? mergedSpecs(named, config.templateLabels) : named
  return mergedSpecs(withTemplates, [{ path: 'metadata/labels', create: true }])
}
