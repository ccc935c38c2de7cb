// Generators and transformers that objects of their own configure. Only built-in kinds run: others would be programs.
import { RenderError } from '../generator.ts'
import type { FieldSpec } from './fields/field-spec.ts'
import {
  configMapArgs,
  fieldSpec,
  type GeneratorArgs,
  type Image,
  image,
  type Patch,
  patch,
  type Replacement,
  type Replica,
  replacementField,
  replica,
  secretArgs,
  selector,
} from './files/arguments.ts'
import type { Folder } from './files/folder.ts'
import { opened, type Shape, shaped } from './files/shape.ts'
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

const plugin = <Settings, Made>(
  fields: Readonly<Record<string, Shape>>,
  make: (settings: Settings, place: Place) => Made,
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
    throw new RenderError(`external plugin ${identityText(current)} is not run: only built-in ones are`)
  const found = Object.hasOwn(plugins, kind) ? plugins[kind] : undefined
  if (found === undefined) throw new RenderError(`${kind} is no built-in plugin for this place`)
  const settings = shaped(fields, opened({ fields: found.fields }), kind) ?? {}
  return found.make(settings as never, { folder, schemas })
}

const specs: Shape = { list: fieldSpec }
const texts: Shape = { map: 'string' }
const metadata: Shape = { fields: { name: 'string', namespace: 'string' }, isOpen: true }
type Metadata = { readonly name?: string; readonly namespace?: string }
type WithSpecs = { readonly fieldSpecs?: readonly FieldSpec[] }

const fieldsOf = (shape: Shape): Readonly<Record<string, Shape>> =>
  typeof shape === 'object' && 'fields' in shape ? shape.fields : {}

const dataGenerator = (kind: GeneratedKind, shape: Shape): Plugin<Resource> =>
  plugin({ ...fieldsOf(shape), metadata }, (args: GeneratorArgs & { metadata?: Metadata }, { folder, schemas }) => {
    const named = {
      ...args,
      name: args.name || args.metadata?.name,
      namespace: args.namespace || args.metadata?.namespace,
    }
    return generated(kind, named, folder, schemas.isClusterScoped)
  })

const generators: Readonly<Record<string, Plugin<Resource>>> = {
  ConfigMapGenerator: dataGenerator('ConfigMap', configMapArgs),
  SecretGenerator: dataGenerator('Secret', secretArgs),
}

const affixes = (settings: WithSpecs & { prefix?: string; suffix?: string }): Transform => {
  const all = settings.fieldSpecs ?? []
  const [prefix, suffix] = [prefixing(settings.prefix ?? '', all), suffixing(settings.suffix ?? '', all)]
  return resources => suffix(prefix(resources))
}

const transformers: Readonly<Record<string, Plugin<Transform>>> = {
  AnnotationsTransformer: plugin(
    { annotations: texts, fieldSpecs: specs },
    ({ annotations = {}, fieldSpecs = [] }: WithSpecs & { annotations?: Record<string, string> }) =>
      addingEntries(annotations, fieldSpecs),
  ),
  LabelTransformer: plugin(
    { labels: texts, fieldSpecs: specs },
    ({ labels = {}, fieldSpecs = [] }: WithSpecs & { labels?: Record<string, string> }) =>
      addingEntries(labels, fieldSpecs),
  ),
  HashTransformer: plugin({}, () => hashing),
  ImageTagTransformer: plugin(
    { imageTag: image, fieldSpecs: specs },
    ({ imageTag = {}, fieldSpecs = [] }: WithSpecs & { imageTag?: Image }) => imaging(imageTag, fieldSpecs),
  ),
  NamespaceTransformer: plugin(
    { metadata, fieldSpecs: specs, unsetOnly: 'boolean', setRoleBindingSubjects: 'string' },
    ({
      metadata,
      fieldSpecs = [],
      ...options
    }: WithSpecs & {
      metadata?: Metadata
      unsetOnly?: boolean
      setRoleBindingSubjects?: string
    }) => namespacing(metadata?.namespace ?? '', { specs: fieldSpecs, ...options }),
  ),
  PatchTransformer: plugin(fieldsOf(patch), (settings: Patch, place) => patching(settings, place)),
  PatchJson6902Transformer: plugin(
    { target: selector, path: 'string', jsonOp: 'string' },
    ({ jsonOp, ...rest }: Patch & { jsonOp?: string }, place) => patchingJson({ ...rest, patch: jsonOp }, place),
  ),
  PatchStrategicMergeTransformer: plugin(
    { paths: { list: 'string' }, patches: 'string' },
    ({ paths = [], patches = '' }: { paths?: string[]; patches?: string }, place) =>
      patchingByName([...paths, ...(patches ? [patches] : [])], place),
  ),
  PrefixSuffixTransformer: plugin({ prefix: 'string', suffix: 'string', fieldSpecs: specs }, affixes),
  PrefixTransformer: plugin({ prefix: 'string', fieldSpecs: specs }, (settings: WithSpecs & { prefix?: string }) =>
    prefixing(settings.prefix ?? '', settings.fieldSpecs ?? []),
  ),
  SuffixTransformer: plugin({ suffix: 'string', fieldSpecs: specs }, (settings: WithSpecs & { suffix?: string }) =>
    suffixing(settings.suffix ?? '', settings.fieldSpecs ?? []),
  ),
  ReplacementTransformer: plugin(
    { replacements: { list: replacementField } },
    ({ replacements = [] }: { replacements?: (Replacement & { path?: string })[] }, { folder }) =>
      replacing(replacements, folder),
  ),
  ReplicaCountTransformer: plugin(
    { replica, fieldSpecs: specs },
    ({ replica = {}, fieldSpecs = [] }: WithSpecs & { replica?: Replica }) => replicating(replica, fieldSpecs),
  ),
}
