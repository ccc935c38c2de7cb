// Reads the arguments of a Go operator: from words as Go's package flag reads them, from a Deployment, from the file that it mounts.
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { readYaml } from '../../../core/yaml/read.ts'
import type { Reads } from '../../../kube/client-types.ts'
import { UsageFault } from '../command.ts'
import type { Counterpart, GoArguments } from './counterpart.ts'

/** `--a=b`, `-a b`, `--a`; a later one overrides. What is no argument ends the list, as in Go. */
export const givenIn = (words: readonly string[], switches: ReadonlySet<string>): GoArguments => {
  const given = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const { name, text } = /^--?(?<name>[^-=][^=]*)(?:=(?<text>[\s\S]*))?$/.exec(words[at] ?? '')?.groups ?? {}
    if (name === undefined) break
    const next = words[at + 1]
    const takesNext = text === undefined && !switches.has(name) && next !== undefined && !next.startsWith('-')
    if (takesNext) at++
    given.set(name, text ?? (takesNext ? next : 'true'))
  }
  return given
}

export const switchesOf = (tables: readonly (readonly Counterpart[])[]): ReadonlySet<string> =>
  new Set(tables.flat().flatMap(({ argument, isSwitch }) => (isSwitch ? [argument] : [])))

/** The container that has most arguments: beside it there may be sidecars. */
export const wordsOf = (deployment: KubeObject): readonly string[] => {
  const [container] = containersOf(deployment)
    .map(container => ({ container, words: [...texts(container.command).slice(1), ...texts(container.args)] }))
    .toSorted((left, right) => right.words.length - left.words.length)
  if (!container) return []
  const variables = new Map(mapsIn(container.container.env).map(({ name, value }) => [String(name), value]))
  return container.words.map(word =>
    word.replaceAll(/\$\(([^)]+)\)/g, (all, name) => variableText(variables.get(name), all)),
  )
}

const variableText = (value: unknown, otherwise: string): string => (isText(value) ? value : otherwise)
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const podOf = (deployment: KubeObject): JsonMap => mapOrEmpty(mapOrEmpty(mapOrEmpty(deployment.spec).template).spec)
const containersOf = (deployment: KubeObject): JsonMap[] => mapsIn(podOf(deployment).containers)

/** The fields of the configuration file at a path in a container, which a ConfigMap holds. */
export const fileAt = async (path: string, deployment: KubeObject, reads: Reads): Promise<JsonMap> => {
  const mounts = containersOf(deployment).flatMap(({ volumeMounts }) => mapsIn(volumeMounts))
  const mount = mounts.find(({ mountPath }) => isText(mountPath) && path.startsWith(`${mountPath}/`))
  const volume = mapsIn(podOf(deployment).volumes).find(({ name }) => name === mount?.name)
  const { name } = mapOrEmpty(volume?.configMap)
  if (!isText(name)) throw new UsageFault(`no ConfigMap is mounted for --config=${path}: give its fields after --`)
  const { namespace = '' } = deployment.metadata
  const found = await reads.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })
  const text = mapOrEmpty(found?.data)[path.slice(String(mount?.mountPath).length + 1)]
  if (!isText(text)) throw new UsageFault(`ConfigMap ${namespace}/${name} has no file for --config=${path}`)
  return mapOrEmpty(readYaml(text))
}

/** Each field by its path; maps that the table names as a whole stay one, and so do lists, as JSON. */
export const fieldsOf = (file: JsonMap, table: readonly Counterpart[], above = ''): [string, string][] =>
  Object.entries(file).flatMap(([key, value]): [string, string][] => {
    const path = above + key
    if (['apiVersion', 'kind'].includes(path) || value === null) return []
    const below = isMap(value) ? fieldsOf(value, table, `${path}.`) : []
    const isWhole = table.some(({ argument }) => argument === path)
    if (isMap(value) && !isWhole) return below
    const own: [string, string] = [path, typeof value === 'string' ? value : JSON.stringify(value)]
    return [own, ...below.filter(([name]) => table.some(({ argument }) => argument === name))]
  })
