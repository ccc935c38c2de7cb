// A kustomization in its artifact before the build: files that are templates, files that stay unchanged, readable files in other folders,
// and included kustomizations outside its folder.
import type { JsonMap } from '../../../core/json/json.ts'
import { type At, type Files, RenderError, type TargetCluster } from '../../generator.ts'
import { globMatcher } from '../../glob.ts'
import { jsonOf, layUnder, valuesOf } from '../../helm/values.ts'
import { Failure } from '../../template/run/environment.ts'
import {
  type Environment,
  execute,
  type FunctionTable,
  fn,
  type GoMap,
  goValue,
  parseTemplates,
  type TemplateSet,
  within,
} from '../../template/template.ts'
import { bytesOf, textOf } from '../../template/value/bytes.ts'
import { int64, mapOf, Struct, textList, typedList } from '../../template/value/value.ts'
import { groupAndVersion } from '../resource.ts'
import {
  type ComponentConfig,
  componentConfig,
  configName,
  ignoredIn,
  ignoreName,
  type TemplateOptions,
} from './component-config.ts'
import { cleanPath, isBelow, joined, leadsUp } from './folder.ts'
import { kustomizationNames } from './kustomization.ts'

export type TemplatedSource = {
  readonly path: string
  readonly templates: TemplateSet
  readonly outputs: ReadonlyMap<string, string>
  readonly plain: Files
  readonly values: JsonMap
  readonly included: readonly TemplatedSource[]
}

/** Limit of included kustomizations. Without it, kustomizations that include each other twice would grow exponentially. */
const includedMost = 1_000

/** `from`: the kustomizations that include this one, the outermost first. `room`: number of kustomizations that may still be included. */
type Including = { readonly from: readonly string[]; readonly room: { included: number } }

export const readSource = (
  artifact: Files,
  { path, at }: { readonly path: string; readonly at?: At },
  options: TemplateOptions,
  { from: includedFrom, room }: Including = { from: [], room: { included: includedMost } },
): TemplatedSource => {
  if (room.included-- < 0) throw new RenderError(`more than ${includedMost} kustomizations are included`)
  if (includedFrom.some(former => former === path || isBelow(former, path)))
    throw new RenderError(`cycle detected: ${[...includedFrom, path].join(' includes ')}`)
  const own = below(artifact, path)
  const begin = (file: string) => void (own.has(file) && at?.(joined(path, file)))
  if (own.size === 0) throw new RenderError(`'${path || '.'}' is not a folder of the artifact`)
  begin(configName)
  const config = componentConfig(own, options, joined(path, configName))
  const readable = new Map([...own, ...includedFiles(artifact, path, config)])
  const including = { from: [...includedFrom, path], room }
  const include = (place: string) => readSource(artifact, { path: outside(path, place), at }, {}, including)
  return {
    path,
    ...parted(own, config, { readable, begin }),
    values: config.values,
    included: config.includedKustomizations.map(include),
  }
}

/** `readable`: files that templates may read. `begin` is called with each file before the file is read. */
type Reading = { readonly readable: Files; readonly begin: At }

/** Splits the kustomization's files into templates and plain files. Leaves out ignored files. */
const parted = (
  own: Files,
  config: ComponentConfig,
  reading: Reading,
): Pick<TemplatedSource, 'templates' | 'outputs' | 'plain'> => {
  const { templateSuffix = '' } = config
  reading.begin(ignoreName)
  const isIgnored = ignoredIn(own)
  const built = [...own].filter(([file]) => file !== configName && file !== ignoreName && !isIgnored(file))
  const templates = built.filter(([file]) => file.endsWith(templateSuffix))
  return {
    templates: templateSet(templates, config, reading),
    outputs: new Map(templates.map(([file]) => [file.slice(0, file.length - templateSuffix.length), file])),
    plain: new Map(built.filter(([file]) => !file.endsWith(templateSuffix))),
  }
}

const templateSet = (
  files: readonly (readonly [string, Uint8Array])[],
  { leftTemplateDelimiter, rightTemplateDelimiter }: ComponentConfig,
  { readable, begin }: Reading,
): TemplateSet =>
  parseTemplates(
    files.map(([name, content]) => ({ name, text: textOf(content) })),
    {
      at: begin,
      functions: kustomizeFunctions(readable),
      delimiters: { left: leftTemplateDelimiter || '{{', right: rightTemplateDelimiter || '}}' },
    },
  )

/** All files as the build reads them. Values of the config are defaults. */
export const rendered = (source: TemplatedSource, values: GoMap, environment: Environment): Map<string, Uint8Array> => {
  layUnder(values, valuesOf(source.values), 'delete')
  const files = new Map(source.plain)
  for (const [file, template] of source.outputs) {
    environment.context.at?.(joined(source.path, file))
    files.set(file, bytesOf(execute(source.templates, template, values, environment)))
  }
  if (!kustomizationNames.some(name => files.has(name))) files.set('kustomization.yaml', listing(files))
  const result = new Map([...files].map(([file, content]) => [joined(source.path, file), content]))
  for (const one of source.included)
    for (const [file, content] of rendered(one, valuesOf(jsonOf(values)), environment)) result.set(file, content)
  return result
}

const listing = (files: Files): Uint8Array => {
  const isManifest = (file: string): boolean =>
    /\.ya?ml$/.test(file) && !file.split('/').some(step => step.startsWith('.') || isKustomization(step))
  return Buffer.from(JSON.stringify({ resources: [...files.keys()].filter(isManifest).sort() }))
}

const isKustomization = (name: string): boolean => kustomizationNames.some(known => known === name)

const includedFiles = (artifact: Files, path: string, config: ComponentConfig): [string, Uint8Array][] =>
  config.includedFiles.flatMap(written => {
    const place = outside(path, written)
    const found = [...artifact].filter(([file]) => file === place || isBelow(file, place))
    if (found.length === 0) throw new RenderError(`${joined(path, configName)}: ${written} is not in the artifact`)
    return found.map(([file, content]): [string, Uint8Array] => [relative(path, file), content])
  })

/** Throws RenderError for a place in the kustomization itself or outside the artifact. */
const outside = (path: string, written: string): string => {
  const at = `${joined(path, configName)}: ${written}`
  if (written.startsWith('/')) throw new RenderError(`${at} is an absolute path`)
  const place = cleanPath(joined(path, written))
  if (leadsUp(place)) throw new RenderError(`${at} leads outside the artifact`)
  if (place === path || isBelow(place, path))
    throw new RenderError(`${at} is inside the kustomization; expected a path outside`)
  return place
}

const below = (files: Files, folder: string): Map<string, Uint8Array> =>
  new Map(
    [...files].filter(([file]) => isBelow(file, folder)).map(([file, content]) => [relative(folder, file), content]),
  )

const relative = (folder: string, file: string): string => {
  const [from, to] = [folder === '' ? [] : folder.split('/'), file.split('/')]
  const shared = from.findIndex((step, index) => step !== to[index])
  const common = shared < 0 ? from.length : shared
  return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/')
}

/** Further functions for templates of kustomizations. They read files of the kustomization, and the target. */
const kustomizeFunctions = (readable: Files): FunctionTable => ({
  listFiles: fn('string', pattern => {
    const matches = globMatcher(pattern)
    if (matches === undefined) throw new Failure(`listFiles: ${pattern} is not a valid pattern`)
    return textList([...readable.keys()].filter(matches).sort())
  }),
  existsFile: fn('string', path => readable.has(cleanPath(path))),
  readFile: fn('string', path => {
    const content = readable.get(cleanPath(path))
    if (content === undefined)
      throw new Failure(`readFile: ${path} does not exist, or the kustomization may not read it`)
    return textOf(content)
  }),
  component: within('', ({ environment }) => goValue(environment.context.component)),
  componentDigest: within('', ({ environment }) => environment.context.componentDigest),
  componentRevision: within('', ({ environment }) => int64(BigInt(environment.context.revision))),
  namespace: within('', ({ environment }) => environment.context.namespace),
  name: within('', ({ environment }) => environment.context.name),
  kubernetesVersion: within('', ({ environment }) => versionInfo(environment.context.cluster)),
  apiResources: within('', ({ environment }) => resourceLists(environment.context.cluster)),
})

const versionInfo = ({ version }: TargetCluster): Struct => {
  const [, major = '', minor = ''] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const fields = mapOf([
    ['Major', major],
    ['Minor', minor],
    ['GitVersion', version],
  ])
  return new Struct('*version.Info', { fields, text: version })
}

const resourceLists = ({ apiVersions }: TargetCluster) => {
  const kinds = Map.groupBy(apiVersions.filter(isKind), entry => entry.slice(0, entry.lastIndexOf('/')))
  const served = apiVersions.filter(entry => !isKind(entry)).sort()
  return typedList(
    '*v1.APIResourceList',
    served.map(groupVersion => {
      const resources = (kinds.get(groupVersion) ?? []).map(entry => resource(groupVersion, entry))
      const fields = mapOf([
        ['GroupVersion', groupVersion],
        ['APIResources', typedList('v1.APIResource', resources)],
      ])
      return new Struct('*v1.APIResourceList', { fields })
    }),
  )
}

const isKind = (entry: string): boolean => /^[A-Z]/.test(entry.slice(entry.lastIndexOf('/') + 1))

const resource = (groupVersion: string, entry: string): Struct => {
  const { group, version } = groupAndVersion(groupVersion)
  const fields = mapOf([
    ['Kind', entry.slice(entry.lastIndexOf('/') + 1)],
    ['Group', group],
    ['Version', version],
  ])
  return new Struct('v1.APIResource', { fields })
}
