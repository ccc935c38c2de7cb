// What a program computes, and what it holds in memory, by places: rooms of the house (`shared/kube`), packages and parts of Node. Node itself
// writes the profiles when the program ends. In what is built, a comment names the file before what came from it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { figures } from './report.ts'

/** For Node, before the program. */
export const profileFlags = (folder: string): readonly string[] =>
  ['cpu', 'heap'].flatMap(kind => [`--${kind}-prof`, `--${kind}-prof-dir=${folder}`])

type CallFrame = { readonly url: string; readonly functionName: string; readonly lineNumber: number }
type CpuProfile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  /** Microseconds. */
  readonly timeDeltas: readonly number[]
}
type HeapNode = { readonly callFrame: CallFrame; readonly selfSize: number; readonly children: readonly HeapNode[] }

const root = join(import.meta.dirname, '..', '..')
const rowsMost = 12

/** Lines of text: of each profile in the folder the places and the functions that stand out. */
export const profileLines = (folder: string): string[] =>
  readdirSync(folder).flatMap(name => {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (name.endsWith('.cpuprofile')) return [name, ...topOf(computed(profile), 'ms')]
    return name.endsWith('.heapprofile') ? [name, ...topOf(held(profile.head), 'kB')] : []
  })

type Cost = { readonly at: CallFrame; readonly cost: number }

const computed = ({ nodes, samples, timeDeltas }: CpuProfile): Cost[] => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  return samples.flatMap((id, index) => {
    const at = frames.get(id)
    return at && at.functionName !== '(idle)' ? [{ at, cost: (timeDeltas[index] ?? 0) / 1000 }] : []
  })
}

const held = ({ callFrame, selfSize, children }: HeapNode): Cost[] => [
  { at: callFrame, cost: selfSize / 1000 },
  ...children.flatMap(held),
]

const topOf = (costs: readonly Cost[], unit: string): string[] => {
  const whole = sumOf(costs)
  const lines = (by: (frame: CallFrame) => string) =>
    [...Map.groupBy(costs, ({ at }) => by(at))]
      .map(([place, all]) => ({ place, cost: sumOf(all) }))
      .sort((a, b) => b.cost - a.cost)
      .slice(0, rowsMost)
      .map(({ place, cost }) => `  ${figures((100 * cost) / whole)} %  ${figures(cost)} ${unit}  ${place}`)
  return [`  ${figures(whole)} ${unit}`, ...lines(placeOf), '', ...lines(functionOf)]
}

const sumOf = (costs: readonly Cost[]): number => costs.reduce((sum, { cost }) => sum + cost, 0)

/** `shared/kube`, `undici`, `node:internal/http2`; what has no file by its name, such as the garbage collector. */
const placeOf = (frame: CallFrame): string => {
  const file = fileOf(frame)
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  return name ?? (file === '' ? frame.functionName : file.split('/').slice(0, 2).join('/'))
}

const functionOf = (frame: CallFrame): string => `${frame.functionName || 'a function'} ${fileOf(frame)}`

/** The source, also of what was built. */
const fileOf = ({ url, lineNumber }: CallFrame): string => {
  const file = url.replace(`file://${root}/`, '')
  if (!file.endsWith('.mjs') || !file.startsWith('dist/')) return file
  return beginsOf(file).findLast(({ line }) => line <= lineNumber)?.source ?? file
}

type Begin = { readonly line: number; readonly source: string }

const begins = new Map<string, readonly Begin[]>()

const beginsOf = (file: string): readonly Begin[] => {
  const known = begins.get(file) ?? beginsIn(readFileSync(join(root, file), 'utf8'))
  begins.set(file, known)
  return known
}

const beginsIn = (text: string): Begin[] =>
  text.split('\n').flatMap((line, index) => {
    const [, source] = /^(?:\/\/ | {2}")((?:shared|functions|node_modules)\/[^\s"]+)/.exec(line) ?? []
    return source === undefined ? [] : [{ line: index, source }]
  })
