// Every function and statement of the template language, judged by helm.
import t from 'tap'
import { BudgetError } from '../../../shared/render/template/run/environment.ts'
import { helmJudge, ours } from './template/oracle.ts'
import * as snippets from './template/snippets.ts'

const values = { ...snippets.values, yaml: snippets.yamlStrings }
const tables: readonly (readonly [name: string, table: readonly string[]])[] = [
  ['CO-77 statements and pipelines', snippets.language],
  ['CO-77 printf and print', snippets.printf],
  ['CO-78 strings, encodings, paths', snippets.strings],
  ['CO-78 lists, maps, types, defaults', snippets.collections],
  ['CO-78 numbers, versions, dates', snippets.numbers],
  ['CO-78 patterns, URLs, JSON, YAML, TOML, network', snippets.texts],
  ['CO-78 strings, keys and numbers in YAML', snippets.yaml],
]

for (const [name, table] of tables) {
  t.test(`${name} equal helm's`, async t => {
    const judge = await helmJudge(t)
    const theirs = await judge.outputs(table, values)
    t.equal(theirs.length, table.length)
    for (const [index, snippet] of table.entries()) t.equal(outputOf(snippet), theirs[index], snippet)
  })
}

/** As a named template, which is how helm is asked; a fault is told in place of an output. */
const outputOf = (snippet: string): string => {
  try {
    return ours(`${snippets.defined}{{- define "s" }}${snippet}{{ end }}{{ include "s" . }}`, values)
  } catch (error) {
    if (error instanceof BudgetError || !(error instanceof Error)) throw error
    return `${error.name}: ${error.message}`
  }
}
