// `.Files`: what templates may read of their chart.
import type { Files } from '../../generator.ts'
import { globMatcher } from '../../glob.ts'
import type { Budget } from '../../template/run/budget.ts'
import { textOf } from '../../template/value/bytes.ts'
import { fn, within } from '../../template/value/signature.ts'
import { type GoMap, type GoValue, mapOf, Struct, textList } from '../../template/value/value.ts'
import { compactStyle, writeYaml } from '../../template/yaml/write.ts'

/** A map of contents by path, with Helm's methods; what is not there is empty. */
export const chartFiles = (files: Files): Struct => {
  const text = (path: string): string => textOf(files.get(path) ?? nothing)
  return new Struct('engine.files', {
    under: mapOf([...files].map(([path, bytes]): [string, GoValue] => [path, bytes])),
    methods: {
      Get: fn('string', text),
      GetBytes: fn('string', path => files.get(path) ?? nothing),
      Lines: fn('string', path => textList(files.has(path) ? linesOf(text(path)) : [])),
      Glob: fn('string', pattern => chartFiles(matching(files, pattern))),
      AsConfig: within('', call => yamlText(byName(files, textOf), call.budget)),
      AsSecrets: within('', call => yamlText(byName(files, base64), call.budget)),
    },
  })
}

const nothing = new Uint8Array()

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

/** A pattern that is none means all files, as in Helm. */
const matching = (files: Files, pattern: string): Files => {
  const matches = globMatcher(pattern)
  return matches ? new Map([...files].filter(([path]) => matches(path))) : files
}

/** By the last part of the path. */
const byName = (files: Files, content: (bytes: Uint8Array) => string): GoMap =>
  mapOf([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), content(bytes)]))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const yamlText = (map: GoMap, budget: Budget): string => writeYaml(map, compactStyle, budget)
