// `espalier check --arguments-of NAME` and `espalier check -- ARGUMENT…`: what the arguments of a Go operator mean for Espalier. Reads them
// from words (as Go's package flag does), from a Deployment, or from a file that a Deployment mounts.
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { readYaml } from '../../../core/yaml/read.ts'
import type { Reads } from '../../../kube/client-types.ts'
import { type GoOperator, goOperatorIn } from '../check-findings.ts'
import { type CommandResult, type Given, UsageFault } from '../command.ts'
import { notFoundText } from '../named-object.ts'
import { type ReadingProcess, reads } from '../reading-process.ts'
import { isTelling } from '../redaction.ts'
import type { Counterpart, GoArguments } from './counterpart.ts'
import { argumentTables, operatorOf, translated, translationText } from './translation.ts'

/** `of`: the name of a Deployment. Its arguments are read instead of the words. */
type Asked = Pick<Given, 'options' | 'words'> & { readonly of: string | undefined }

export const argumentsResult = async ({ options, words, of }: Asked): Promise<CommandResult> => {
  if (of !== undefined && words.length > 0) throw new UsageFault('--arguments-of and arguments exclude each other')
  const read =
    of === undefined
      ? ofWords(words)
      : await reads(options, async process => ofDeployment(await found(of, process), process))
  const all = translated(read.given, read.operator)
  return {
    data: { operator: read.operator, arguments: all },
    text: translationText(read.operator, all),
    code: all.some(({ is }) => is === 'by hand' || is === 'unknown') ? 1 : 0,
  }
}

type ReadArguments = { readonly operator: GoOperator; readonly given: GoArguments }

const ofWords = (words: readonly string[]): ReadArguments => {
  const given = givenIn(words)
  if (given.size === 0)
    throw new UsageFault(`expected arguments such as --log-level=1 after --, found ${words.join(' ')}`)
  return { operator: operatorOf(given), given }
}

const found = async (named: string, { local, namespace }: ReadingProcess): Promise<KubeObject> => {
  const name = named.replace(/^deploy(ment)?(\.apps)?\//, '')
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }
  const deployment = await local.get(ref)
  if (deployment) return deployment
  throw new UsageFault(notFoundText(ref))
}

const ofDeployment = async (deployment: KubeObject, { local }: ReadingProcess): Promise<ReadArguments> => {
  const given = givenIn(wordsOf(deployment))
  const operator = goOperatorIn(deployment)?.name ?? operatorOf(given)
  const path = operator === 'gardener-operator' ? given.get('config') : undefined
  const fields = path === undefined ? [] : fieldsOf(await fileAt(path, deployment, local), argumentTables[operator])
  return { operator, given: new Map([...given, ...fields]) }
}

/** Whether an argument takes its value from the next word. Unknown arguments are missing. */
const takesNext: ReadonlyMap<string, boolean> = new Map(
  Object.values(argumentTables)
    .flat()
    .map(({ argument, isSwitch }) => [argument, !isSwitch]),
)

/**
 * Reads `--a=b`, `-a b` and `--a`. A later argument overrides an earlier argument. As in Go, the first word that is not an argument ends the list.
 * After an unknown argument, a word that begins with a dash is not its value.
 */
const givenIn = (words: readonly string[]): GoArguments => {
  const given = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const { name, text } = /^--?(?<name>[^-=][^=]*)(?:=(?<text>[\s\S]*))?$/.exec(words[at] ?? '')?.groups ?? {}
    if (name === undefined) break
    const next = words[at + 1]
    const isNextValue = text === undefined && next !== undefined && (takesNext.get(name) ?? !next.startsWith('-'))
    if (isNextValue) at++
    given.set(name, text ?? (isNextValue ? next : 'true'))
  }
  return given
}

/**
 * The words of the container with the most arguments, because a Pod may have sidecars. A possibly secret variable is not replaced by its
 * value.
 */
const wordsOf = (deployment: KubeObject): readonly string[] => {
  const [container] = containersOf(deployment)
    .map(container => ({ container, words: [...texts(container.command).slice(1), ...texts(container.args)] }))
    .toSorted((left, right) => right.words.length - left.words.length)
  if (!container) return []
  const shown = mapsIn(container.container.env).filter(({ name }) => !isTelling.test(String(name)))
  const variables = new Map(shown.map(({ name, value }) => [String(name), value]))
  return container.words.map(word =>
    word.replaceAll(/\$\(([^)]+)\)/g, (all, name) => variableText(variables.get(name), all)),
  )
}

const variableText = (value: unknown, otherwise: string): string => (isText(value) ? value : otherwise)
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const podOf = (deployment: KubeObject): JsonMap => mapOrEmpty(mapOrEmpty(mapOrEmpty(deployment.spec).template).spec)
const containersOf = (deployment: KubeObject): JsonMap[] => mapsIn(podOf(deployment).containers)

/** The fields of the configuration file at this path in a container. The file must come from a ConfigMap. */
const fileAt = async (path: string, deployment: KubeObject, reads: Reads): Promise<JsonMap> => {
  const mounts = containersOf(deployment).flatMap(({ volumeMounts }) => mapsIn(volumeMounts))
  const [mount] = mounts
    .filter(({ mountPath }) => isText(mountPath) && `${path}/`.startsWith(`${mountPath}/`))
    .toSorted((left, right) => String(right.mountPath).length - String(left.mountPath).length)
  const volume = mapsIn(podOf(deployment).volumes).find(({ name }) => name === mount?.name)
  const { name } = mapOrEmpty(volume?.configMap)
  if (!isText(name)) throw new UsageFault(`no ConfigMap is mounted for --config=${path}: give its fields after --`)
  const { namespace = '' } = deployment.metadata
  const found = await reads.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })
  const file = path === mount?.mountPath ? mount.subPath : path.slice(String(mount?.mountPath).length + 1)
  const text = mapOrEmpty(found?.data)[String(file)]
  if (!isText(text)) throw new UsageFault(`ConfigMap ${namespace}/${name} has no file for --config=${path}`)
  return mapOrEmpty(readYaml(text))
}

/** Each field by its path. Lists, and maps that the table names as a whole, become JSON. */
const fieldsOf = (file: JsonMap, table: readonly Counterpart[], above = ''): [string, string][] =>
  Object.entries(file).flatMap(([key, value]): [string, string][] => {
    const path = above + key
    if (['apiVersion', 'kind'].includes(path) || value === null) return []
    const below = isMap(value) ? fieldsOf(value, table, `${path}.`) : []
    const isWhole = table.some(({ argument }) => argument === path)
    if (isMap(value) && !isWhole) return below
    const own: [string, string] = [path, typeof value === 'string' ? value : JSON.stringify(value)]
    return [own, ...below.filter(([name]) => table.some(({ argument }) => argument === name))]
  })
