// kustomization.yaml: its fields, and the new names of older ones.
import type { JsonMap } from '../../../core/json/json.ts'
import { readYaml, YamlError } from '../../../core/yaml/read.ts'
import { blaming } from '../../blame.ts'
import { RenderError } from '../../generator.ts'
import {
  configMapArgs,
  type GeneratorArgs,
  type GeneratorOptions,
  generatorOptions,
  type Image,
  image,
  type Label,
  label,
  type Patch,
  patch,
  type Replacement,
  type Replica,
  replacementField,
  replica,
  type SortOptions,
  secretArgs,
  sortOptions,
  type Variable,
  variable,
} from './arguments.ts'
import { type Folder, hasFile, readText } from './folder.ts'
import { type Shape, shaped, zero } from './shape.ts'

export type Kustomization = {
  readonly kind: 'Kustomization' | 'Component'
  readonly openapi: Readonly<Record<string, string>>
  readonly namePrefix: string
  readonly nameSuffix: string
  readonly namespace: string
  readonly commonLabels: Readonly<Record<string, string>>
  readonly labels: readonly Label[]
  readonly commonAnnotations: Readonly<Record<string, string>>
  readonly patchesStrategicMerge: readonly string[]
  readonly patchesJson6902: readonly Patch[]
  readonly patches: readonly Patch[]
  readonly images: readonly Image[]
  readonly replacements: readonly (Replacement & { readonly path?: string })[]
  readonly replicas: readonly Replica[]
  readonly vars: readonly Variable[]
  readonly sortOptions: SortOptions | undefined
  readonly resources: readonly string[]
  readonly components: readonly string[]
  readonly crds: readonly string[]
  readonly configMapGenerator: readonly GeneratorArgs[]
  readonly secretGenerator: readonly GeneratorArgs[]
  readonly generatorOptions: GeneratorOptions | undefined
  readonly configurations: readonly string[]
  readonly generators: readonly string[]
  readonly transformers: readonly string[]
  readonly validators: readonly string[]
  readonly buildMetadata: readonly string[]
}

const texts: Shape = { list: 'string' }
const textMap: Shape = { map: 'string' }
const anything: Shape = { fields: {}, isOpen: true }

const fields: Readonly<Record<string, Shape>> = {
  apiVersion: 'string',
  kind: 'string',
  metadata: { fields: { name: 'string', namespace: 'string', labels: textMap, annotations: textMap }, isOpen: true },
  openapi: textMap,
  namePrefix: 'string',
  nameSuffix: 'string',
  namespace: 'string',
  commonLabels: textMap,
  labels: { list: label },
  commonAnnotations: textMap,
  patchesStrategicMerge: texts,
  patchesJson6902: { list: patch },
  patches: { list: patch },
  images: { list: image },
  imageTags: { list: image },
  replacements: { list: replacementField },
  replicas: { list: replica },
  vars: { list: variable },
  sortOptions,
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: { list: configMapArgs },
  secretGenerator: { list: secretArgs },
  helmGlobals: anything,
  helmCharts: { list: anything },
  helmChartInflationGenerator: { list: anything },
  generatorOptions,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
}

const unset = Object.fromEntries(
  Object.entries({ ...fields, sortOptions: undefined, generatorOptions: undefined }).map(([name, shape]) => [
    name,
    zero(shape),
  ]),
) as Omit<Kustomization, 'kind'>

export const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const

const kustomizationFile = (folder: Folder): string | undefined => {
  const [name, another] = kustomizationNames.filter(name => hasFile(folder, name))
  if (another !== undefined) throw new RenderError(`found multiple kustomization files under: ${folder.path || '.'}`)
  return name
}

export const readKustomization = (folder: Folder): { kustomization: Kustomization; file: string } => {
  const file = kustomizationFile(folder)
  if (file === undefined)
    throw new RenderError(`no kustomization file (${kustomizationNames.join(', ')}) in '${folder.path || '.'}'`)
  const at = folder.path === '' ? file : `${folder.path}/${file}`
  const text = readText(folder, file)
  return { kustomization: blaming({ kind: 'settings', file: at }, () => kustomization(text, at)), file }
}

const kustomization = (text: string, at: string): Kustomization => {
  const given = (shaped(parsed(text, at), { fields }, at) ?? {}) as JsonMap
  const { apiVersion, kind = 'Kustomization', ...rest } = given
  if (Object.keys(rest).length === 0) throw new RenderError(`${at} is empty`)
  refuseVersion(at, kind, apiVersion)
  refuseHelm(at, given)
  return { ...unset, ...given, kind, ...modern(given) } as Kustomization
}

/** Throws RenderError with the line in the text; `at` is the file's name. */
export const parsed = (text: string, at: string, read: (text: string) => unknown = readYaml): unknown => {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof YamlError)
      throw new RenderError(`${at}: ${error.message}`, { blame: { kind: 'yaml', line: error.line } })
    throw error
  }
}

const versions: Readonly<Record<string, string>> = {
  Kustomization: 'kustomize.config.k8s.io/v1beta1',
  Component: 'kustomize.config.k8s.io/v1alpha1',
}

const refuseVersion = (at: string, kind: unknown, apiVersion: unknown): void => {
  const version = versions[String(kind)]
  if (version === undefined) throw new RenderError(`${at}: kind should be ${Object.keys(versions).join(' or ')}`)
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== version)
    throw new RenderError(`${at}: apiVersion for ${kind} should be ${version}`)
}

const refuseHelm = (at: string, given: JsonMap): void => {
  for (const field of ['helmCharts', 'helmChartInflationGenerator', 'helmGlobals'])
    if (given[field] !== undefined)
      throw new RenderError(`${at}: ${field} is not supported: charts are inflated by helm`)
}

type Older = {
  readonly resources?: readonly string[]
  readonly bases?: readonly string[]
  readonly images?: readonly Image[]
  readonly imageTags?: readonly Image[]
}

const modern = ({ resources = [], bases = [], images = [], imageTags = [] }: Older) => ({
  resources: [...resources, ...bases],
  images: [...images, ...imageTags],
})
