// `kustomize(files)` renders what `kubectl kustomize` would print. The files are templates over the parameters. Each kustomization gathers its
// resources, generates, adds components and transforms. Hashes, references and order come last, because they need all objects.
import { recovered } from '../../core/decisions/reading.ts'
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type At, blaming, type Files, naming, ofArtifact, type Render, RenderError } from '../generator.ts'
import { valuesOf } from '../helm/values.ts'
import { answered, Environment } from '../template/template.ts'
import { type FieldConfig, fieldConfig, mergedConfig, noFields } from './fields/field-config.ts'
import type { Variable } from './files/arguments.ts'
import type { TemplateOptions } from './files/component-config.ts'
import { cleanPath, type Folder, fromFile, hasFile, joined, subfolder } from './files/folder.ts'
import { type Kustomization, parsed, readKustomization } from './files/kustomization.ts'
import { readSource, rendered, type TemplatedSource } from './files/source.ts'
import { finished } from './finish.ts'
import { tableVersion } from './merge/merge-keys.ts'
import { Schemas } from './merge/schemas.ts'
import { builtInGenerators, builtInTransformers, generatorOf, transformerOf } from './plugins.ts'
import { distinct, followNames, resolveVariables, withVariables } from './references.ts'
import { builtInOrigin, noteTransformation, type Origin, type Resource, resourcesIn } from './resource.ts'
import { absorbed, appended, identityKeys, refuseTwins, sorted } from './resources.ts'
import { hashing, type Transform } from './transform/transformers.ts'

export type KustomizeOptions = TemplateOptions & {
  readonly path?: string
  readonly at?: At
}

/**
 * The renderer of the kustomization in these files. Throws RenderError.
 *
 *   const generator = rendering(kustomize(files, { path: 'overlays/production' }))
 */
export const kustomize = (files: Files, { path = '', at, ...options }: KustomizeOptions = {}): Render =>
  renderOf(ofArtifact(() => readSource(files, { path, at }, options)))

const renderOf =
  (source: TemplatedSource): Render =>
  (context, parameters) =>
    blaming({ kind: 'unrenderable', rendered: 'kustomization' }, () => {
      const environment = new Environment(context)
      const output = answered(environment, () => rendered(source, valuesOf(parameters), environment))
      return 'needs' in output ? output : { objects: built(output.result, source.path, context.at) }
    })

/** The objects of the kustomization at `path`, as `kubectl kustomize` prints them. */
export const built = (files: Files, path = '', at: (file: string) => void = () => {}): KubeObject[] => {
  const folder: Folder = { files, path, referrer: undefined }
  const { kustomization, file } = readKustomization(folder)
  const schemas = new Schemas()
  useSchema(kustomization, folder, schemas)
  const isTracked = kustomization.buildMetadata.length > 0
  const place = { folder, kustomization, file, schemas, at: counted(at), tracked: isTracked ? '' : undefined }
  const { resources, config, variables } = gathered(place, nothing)
  hashing(resources)
  followNames(resources, config.nameReference)
  resolveVariables(variables, resources, config.varReference)
  return finished(sorted(resources, kustomization.sortOptions), kustomization.buildMetadata)
}

type Place = {
  readonly folder: Folder
  readonly kustomization: Kustomization
  readonly file: string
  readonly schemas: Schemas
  readonly at: (file: string) => void
  /** Path of this place relative to the root. undefined if buildMetadata does not request origins. */
  readonly tracked: string | undefined
}

type Gathered = {
  readonly resources: readonly Resource[]
  readonly config: FieldConfig
  readonly variables: readonly Variable[]
}

/** Limit of builds. Without it, kustomizations that use each other twice would grow exponentially. */
const buildsMost = 1_000

const counted = (at: (file: string) => void): ((file: string) => void) => {
  let count = 0
  return file => {
    if (++count > buildsMost) throw new RenderError(`the build reads more than ${buildsMost} kustomizations`)
    at(file)
  }
}

const nothing: Gathered = { resources: [], config: noFields, variables: [] }

/** The first kustomization that names a schema decides. */
const useSchema = ({ openapi: { version, path } }: Kustomization, folder: Folder, schemas: Schemas): void => {
  const document = path === undefined ? undefined : fromFile({ folder, path }, text => parsed(text, path))
  if (schemas.isSet) return
  if (version !== undefined && path !== undefined)
    throw new RenderError('builtin version and custom schema provided, cannot use both')
  if (version && version !== tableVersion)
    throw new RenderError(`openapi version ${version} is not built in; expected ${tableVersion}`)
  if (version) schemas.useTable()
  if (path !== undefined) schemas.use(document)
}

/** A base starts without objects. A component starts with all objects of the kustomization that uses the component. */
const gathered = (place: Place, before: Gathered): Gathered =>
  blaming({ kind: 'settings', file: joined(place.folder.path, place.file) }, () => gatheredAt(place, before))

const gatheredAt = (place: Place, before: Gathered): Gathered => {
  const { kustomization, folder } = place
  place.at(joined(folder.path, place.file))
  const read = withPaths(place, before, kustomization.resources)
  const config = fieldConfig(folder, read.config, kustomization)
  const generated = generators(place).reduce<readonly Resource[]>(absorbed, read.resources)
  const start = { ...read, config, resources: generated }
  const complete = kustomization.components.reduce((sum, path) => component(place, path, sum), start)
  const resources = transformed(place, complete.config, complete.resources)
  validate(place, resources)
  const variables = withVariables(complete.variables, kustomization.vars, resources)
  return { resources, config: complete.config, variables }
}

const withPaths = (place: Place, before: Gathered, paths: readonly string[]): Gathered => {
  const resources = [...before.resources]
  const taken = identityKeys(resources)
  let { config, variables } = before
  for (const path of paths) {
    const more = hasFile(place.folder, path) ? written(place, path) : base(place, path)
    refuseTwins(more.resources, taken)
    for (const resource of more.resources) resources.push(resource)
    config = mergedConfig(config, more.config)
    variables = distinct([...variables, ...more.variables])
  }
  return { resources, config, variables }
}

const written = ({ folder, schemas, tracked }: Place, path: string): Gathered => {
  const resources = fromFile({ folder, path, kind: 'resource' }, text =>
    naming(path, () => resourcesIn(text, schemas.isClusterScoped)),
  )
  return { ...nothing, resources: withPath(resources, tracked, path) }
}

const withPath = (resources: Resource[], tracked: string | undefined, path: string): Resource[] => {
  if (tracked !== undefined) for (const resource of resources) resource.origin = { path: trackedPath(tracked, path) }
  return resources
}

const trackedPath = (tracked: string, path: string): string => cleanPath(joined(tracked, path))

const within = (place: Place, path: string, kind: Kustomization['kind']): Place => {
  const folder = subfolder(place.folder, path)
  const found = readKustomization(folder)
  if (found.kustomization.kind !== kind)
    throw new RenderError(`expected kind ${kind} for path '${path}' but got ${found.kustomization.kind}`)
  useSchema(found.kustomization, folder, place.schemas)
  const tracked = place.tracked === undefined ? undefined : trackedPath(place.tracked, path)
  return { ...place, ...found, folder, tracked }
}

const base = (place: Place, path: string): Gathered => gathered(within(place, path, 'Kustomization'), nothing)

const component = (place: Place, path: string, before: Gathered): Gathered =>
  gathered(within(place, path, 'Component'), before)

const generators = (place: Place): Resource[] => {
  const { kustomization, folder, file, schemas, tracked } = place
  const own = builtInGenerators(kustomization, folder, schemas).map(({ kind, made }) =>
    withOrigin(made, tracked === undefined ? undefined : builtInOrigin(tracked, file, kind)),
  )
  const configured = plugins(place, kustomization.generators).map(config =>
    withOrigin(generatorOf(config, folder, schemas), pluginOrigin(config)),
  )
  return [...own, ...configured]
}

const withOrigin = (resource: Resource, origin: Origin | undefined): Resource => {
  resource.origin ??= origin
  return resource
}

/** Configurations of plugins, inline or from files and folders. */
const plugins = (place: Place, entries: readonly string[]): readonly Resource[] => {
  const inline = entries.map(entry => ({ entry, resources: inlinePlugin(place, entry) }))
  const given = inline.flatMap(({ resources }) => resources ?? [])
  const paths = inline.filter(({ resources }) => resources === undefined).map(({ entry }) => entry)
  return withPaths(place, { ...nothing, resources: appended([], given) }, paths).resources
}

const inlinePlugin = ({ schemas, tracked, file }: Place, entry: string): Resource[] | undefined =>
  recovered(
    RenderError,
    () => withPath(resourcesIn(entry, schemas.isClusterScoped), tracked, file),
    () => undefined,
  )

const pluginOrigin = ({ origin, fields, name, namespace, kind }: Resource): Origin | undefined =>
  origin && {
    configuredIn: origin.path,
    configuredBy: { apiVersion: String(fields.apiVersion), kind, name, ...(namespace ? { namespace } : {}) },
  }

const transformed = (place: Place, config: FieldConfig, resources: readonly Resource[]): readonly Resource[] => {
  const { kustomization, folder, file, schemas, tracked } = place
  const own = builtInTransformers(kustomization, config, folder, schemas).map(({ kind, made }) => ({
    transform: made,
    origin: tracked === undefined ? undefined : builtInOrigin(tracked, file, kind),
  }))
  return [...own, ...configuredTransformers(place, kustomization.transformers)].reduce(applied, resources)
}

type Step = { readonly transform: Transform; readonly origin: Origin | undefined }

const configuredTransformers = (place: Place, entries: readonly string[]): Step[] =>
  plugins(place, entries).map(config => ({
    transform: transformerOf(config, place.folder, place.schemas),
    origin: pluginOrigin(config),
  }))

const applied = (resources: readonly Resource[], { transform, origin }: Step): readonly Resource[] => {
  const result = transform(resources).filter(({ isEmpty }) => !isEmpty)
  if (origin !== undefined) noteTransformation(result, origin)
  return result
}

/** Validators are transformers that may only change the label `validated-by`. */
const validate = (place: Place, resources: readonly Resource[]): void => {
  const content = (list: readonly Resource[]): string =>
    JSON.stringify(
      list.map(({ fields }) => fields),
      (key, value) => (key === 'validated-by' && !isMap(value) ? undefined : value),
    )
  for (const { transform } of configuredTransformers(place, place.kustomization.validators)) {
    const before = content(resources)
    if (content(transform(resources)) !== before) throw new RenderError("validator shouldn't modify the resource map")
  }
}
