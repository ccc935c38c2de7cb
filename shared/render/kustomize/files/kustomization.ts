// Reads kustomization.yaml, and moves old fields (`bases`, `imageTags`) to their new names.
import { rethrown } from '../../../core/decisions/reading.ts'
import type { JsonMap } from '../../../core/json/json.ts'
import { readYaml, YamlError } from '../../../core/yaml/read.ts'
import { blaming, RenderError } from '../../generator.ts'
import * as entries from './arguments.ts'
import { type Shape, type Shaped, shaped, zero } from './arguments.ts'
import { type Folder, hasFile, joined, readText } from './folder.ts'

const texts = { list: 'string' } as const
const textMap = { map: 'string' } as const
const anything = { fields: {}, isOpen: true } as const

const fields = {
  apiVersion: 'string',
  kind: 'string',
  metadata: { fields: { name: 'string', namespace: 'string', labels: textMap, annotations: textMap }, isOpen: true },
  openapi: textMap,
  namePrefix: 'string',
  nameSuffix: 'string',
  namespace: 'string',
  commonLabels: textMap,
  labels: { list: entries.label },
  commonAnnotations: textMap,
  patchesStrategicMerge: texts,
  patchesJson6902: { list: entries.patch },
  patches: { list: entries.patch },
  images: { list: entries.image },
  imageTags: { list: entries.image },
  replacements: { list: entries.replacementField },
  replicas: { list: entries.replica },
  vars: { list: entries.variable },
  sortOptions: entries.sortOptions,
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: { list: entries.configMapArgs },
  secretGenerator: { list: entries.secretArgs },
  helmGlobals: anything,
  helmCharts: { list: anything },
  helmChartInflationGenerator: { list: anything },
  generatorOptions: entries.generatorOptions,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
} as const satisfies Readonly<Record<string, Shape>>

type Fields = Shaped<{ readonly fields: typeof fields }>
type Optional = 'sortOptions' | 'generatorOptions'

export type Kustomization = Required<Omit<Fields, 'kind' | 'labels' | Optional>> &
  Pick<Fields, Optional> & {
    readonly kind: 'Kustomization' | 'Component'
    readonly labels: readonly entries.Label[]
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
  const at = joined(folder.path, file)
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

/** Throws RenderError with the line in the text. `at` is the name of the file. */
export const parsed = (text: string, at: string, read: (text: string) => unknown = readYaml): unknown =>
  rethrown(
    YamlError,
    () => read(text),
    ({ message, line }) => new RenderError(`${at}: ${message}`, { blame: { kind: 'yaml', line } }),
  )

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
      throw new RenderError(`${at}: ${field} is not supported: a kustomization cannot contain Helm charts`)
}

const modern = ({ resources = [], bases = [], images = [], imageTags = [] }: Fields) => ({
  resources: [...resources, ...bases],
  images: [...images, ...imageTags],
})
