// Generators and transformers that a kustomization configures in its own fields, or by objects. Of these objects only built-in kinds are supported,
// because other kinds would start programs.
import { RenderError } from '../generator.ts'
import type { FieldConfig } from './fields/field-config.ts'
import { type FieldSpec, mergedSpecs } from './fields/field-spec.ts'
import * as entries from './files/arguments.ts'
import { type Label, opened, type Shape, type Shaped, shaped } from './files/arguments.ts'
import type { Folder } from './files/folder.ts'
import type { Kustomization } from './files/kustomization.ts'
import { type GeneratedKind, generated, withOptions } from './generate.ts'
import type { Schemas } from './merge/schemas.ts'
import { identityText, type Resource } from './resource.ts'
import { type Patching, patching, patchingByName, patchingJson } from './transform/patches.ts'
import { replacing } from './transform/replacements.ts'
import {
  addingEntries,
  hashing,
  imaging,
  namespacing,
  prefixing,
  replicating,
  suffixing,
  type Transform,
} from './transform/transformers.ts'

type Place = { readonly folder: Folder; readonly schemas: Schemas }

type Plugin<Made> = {
  readonly fields: Readonly<Record<string, Shape>>
  readonly make: (settings: never, place: Place) => Made
}

type Settings<Fields> = Omit<Shaped<{ readonly fields: Fields }>, 'fieldSpecs'> & {
  readonly fieldSpecs?: readonly FieldSpec[]
}

const plugin = <const Fields extends Readonly<Record<string, Shape>>, Made>(
  fields: Fields,
  make: (settings: Settings<Fields>, place: Place) => Made,
): Plugin<Made> => ({ fields, make })

export const generatorOf = (config: Resource, folder: Folder, schemas: Schemas): Resource =>
  made(generators, config, folder, schemas)

export const transformerOf = (config: Resource, folder: Folder, schemas: Schemas): Transform =>
  made(transformers, config, folder, schemas)

const made = <Made>(
  plugins: Readonly<Record<string, Plugin<Made>>>,
  config: Resource,
  folder: Folder,
  schemas: Schemas,
): Made => {
  const { fields, kind, current } = config
  if (fields.apiVersion !== 'builtin')
    throw new RenderError(`external plugin ${identityText(current)} is not supported; expected a built-in plugin`)
  const found = Object.hasOwn(plugins, kind) ? plugins[kind] : undefined
  if (found === undefined) throw new RenderError(`${kind} is not a built-in plugin for this field`)
  const settings = shaped(fields, opened({ fields: found.fields }), kind) ?? {}
  return found.make(settings as never, { folder, schemas })
}

const specs = { list: entries.fieldSpec } as const
const texts = { map: 'string' } as const
const metadata = { fields: { name: 'string', namespace: 'string' }, isOpen: true } as const

const generatorFields = { ...entries.secretArgs.fields, metadata } as const

type DataSettings = Settings<typeof generatorFields>

const dataOf = (kind: GeneratedKind, { metadata: head = {}, ...args }: DataSettings, { folder, schemas }: Place) => {
  const named = { ...args, name: args.name || head.name, namespace: args.namespace || head.namespace }
  return generated(kind, named, folder, schemas.isClusterScoped)
}

const generators: Readonly<Record<string, Plugin<Resource>>> = {
  ConfigMapGenerator: plugin({ ...entries.configMapArgs.fields, metadata }, (settings, place) =>
    dataOf('ConfigMap', settings, place),
  ),
  SecretGenerator: plugin(generatorFields, (settings, place) => dataOf('Secret', settings, place)),
}

const transformers: Readonly<Record<string, Plugin<Transform>>> = {
  AnnotationsTransformer: plugin({ annotations: texts, fieldSpecs: specs }, ({ annotations = {}, fieldSpecs = [] }) =>
    addingEntries(annotations, fieldSpecs),
  ),
  LabelTransformer: plugin({ labels: texts, fieldSpecs: specs }, ({ labels = {}, fieldSpecs = [] }) =>
    addingEntries(labels, fieldSpecs),
  ),
  HashTransformer: plugin({}, () => hashing),
  ImageTagTransformer: plugin({ imageTag: entries.image, fieldSpecs: specs }, ({ imageTag = {}, fieldSpecs = [] }) =>
    imaging(imageTag, fieldSpecs),
  ),
  NamespaceTransformer: plugin(
    { metadata, fieldSpecs: specs, unsetOnly: 'boolean', setRoleBindingSubjects: 'string' },
    ({ metadata, fieldSpecs = [], ...options }) =>
      namespacing(metadata?.namespace ?? '', { specs: fieldSpecs, ...options }),
  ),
  PatchTransformer: plugin(entries.patch.fields, (settings, place) => patching(settings, place)),
  PatchJson6902Transformer: plugin(
    { target: entries.selector, path: 'string', jsonOp: 'string' },
    ({ jsonOp, ...patch }, place) => patchingJson({ ...patch, patch: jsonOp }, place),
  ),
  PatchStrategicMergeTransformer: plugin(
    { paths: { list: 'string' }, patches: 'string' },
    ({ paths = [], patches = '' }, place) => patchingByName([...paths, ...(patches ? [patches] : [])], place),
  ),
  PrefixSuffixTransformer: plugin(
    { prefix: 'string', suffix: 'string', fieldSpecs: specs },
    ({ prefix = '', suffix = '', fieldSpecs = [] }) =>
      resources =>
        suffixing(suffix, fieldSpecs)(prefixing(prefix, fieldSpecs)(resources)),
  ),
  PrefixTransformer: plugin({ prefix: 'string', fieldSpecs: specs }, ({ prefix = '', fieldSpecs = [] }) =>
    prefixing(prefix, fieldSpecs),
  ),
  SuffixTransformer: plugin({ suffix: 'string', fieldSpecs: specs }, ({ suffix = '', fieldSpecs = [] }) =>
    suffixing(suffix, fieldSpecs),
  ),
  ReplacementTransformer: plugin(
    { replacements: { list: entries.replacementField } },
    ({ replacements = [] }, { folder }) => replacing(replacements, folder),
  ),
  ReplicaCountTransformer: plugin(
    { replica: entries.replica, fieldSpecs: specs },
    ({ replica = {}, fieldSpecs = [] }) => replicating(replica, fieldSpecs),
  ),
}

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
  return Object.entries(ownTransformers).flatMap(([kind, make]) => make(settings).map(made => ({ kind, made })))
}

type OwnSettings = { readonly kustomization: Kustomization; readonly config: FieldConfig; readonly patching: Patching }

const unless = (isEmpty: boolean, make: () => Transform): Transform[] => (isEmpty ? [] : [make()])

const ownTransformers: Readonly<Record<string, (settings: OwnSettings) => Transform[]>> = {
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
const labelTransformers = ({ kustomization: { labels, commonLabels }, config }: OwnSettings): Transform[] => {
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
