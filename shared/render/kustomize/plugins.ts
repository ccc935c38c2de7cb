// Generators and transformers that are configured by objects. Only built-in kinds are supported, because other kinds would start programs.
import { RenderError } from '../generator.ts'
import type { FieldSpec } from './fields/field-spec.ts'
import * as entries from './files/arguments.ts'
import type { Folder } from './files/folder.ts'
import { opened, type Shape, type Shaped, shaped } from './files/shape.ts'
import { type GeneratedKind, generated } from './generate.ts'
import type { Schemas } from './merge/schemas.ts'
import { identityText } from './objects/identity.ts'
import type { Resource } from './objects/resource.ts'
import { imaging } from './transform/images.ts'
import { hashing, prefixing, suffixing } from './transform/names.ts'
import { namespacing } from './transform/namespace.ts'
import { patching, patchingByName, patchingJson } from './transform/patches.ts'
import { replacing } from './transform/replacements.ts'
import { addingEntries, replicating, type Transform } from './transform/transformer.ts'

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
