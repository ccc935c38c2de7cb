// The index of conditions, reasons and messages, from the files reasons.ts of the functions: the comment of an export says what it means, and
// its texts are the messages. What to do is in remedies.yaml beside this file, by function and export; an export without an entry throws.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

type Remedies = Readonly<Record<string, Readonly<Record<string, string>>>>

type Entry = { readonly name: string; readonly means: string; readonly texts: readonly string[] }

export const reasonTables = (root: string, remedies: Remedies): string =>
  globSync('functions/*/reasons.ts', { cwd: root })
    .toSorted()
    .map(path => {
      const name = basename(dirname(path))
      const known = remedies[name] ?? {}
      const entries = entriesIn(readFileSync(join(root, path), 'utf8'))
      const faults = [
        ...entries.filter(entry => known[entry.name] === undefined).map(entry => `${entry.name} is missing`),
        ...Object.keys(known)
          .filter(key => !entries.some(entry => entry.name === key))
          .map(key => `${key} is left over`),
      ]
      if (faults.length > 0) throw new Error(`docs/generator/remedies.yaml, ${name}: ${faults.join(', ')}`)
      return section(name, entries, known)
    })
    .join('\n\n')

const section = (name: string, entries: readonly Entry[], remedies: Readonly<Record<string, string>>): string =>
  [
    `### ${name}`,
    '',
    '| reason or message | what it means | what to do |',
    '|---|---|---|',
    ...entries.map(
      ({ name, means, texts }) =>
        `| ${texts.map(text => cell(`\`${text}\``)).join('<br>')} | ${cell(means)} | ${remedies[name]} |`,
    ),
  ].join('\n')

/** The exports that hold texts for people. Tables of reasons are entries by key. */
export const entriesIn = (source: string): Entry[] =>
  source
    .split(/\n(?=\/\*\*|export )/)
    .reduce<string[]>(joined, [])
    .flatMap(block => {
      const [, name] = /^export const (\w+)|^const (conditions) /m.exec(block)?.filter(Boolean) ?? []
      if (name === undefined) return []
      const means = meaning(/^\/\*\*([\s\S]*?)\*\//.exec(block)?.[1] ?? '')
      const code = block.replace(/^\/\*\*[\s\S]*?\*\//, '')
      const inner = [...explained(code), ...tabled(code)]
      const texts = textsIn(code)
      if (inner.length > 0) return inner
      return texts.length === 0 ? [] : [{ name, means, texts }]
    })

const meaning = (comment: string): string => comment.replace(/\n?\s*\*?\s+/g, ' ').trim()

/** A comment belongs to the export behind it. */
const joined = (blocks: string[], block: string): string[] => {
  const last = blocks.at(-1)
  const isComment = last?.startsWith('/**') && last.trimEnd().endsWith('*/')
  return isComment ? [...blocks.slice(0, -1), `${last}\n${block}`] : [...blocks, block]
}

/** Reasons with a comment each: a comment, and behind it `moreThanOneGarden: 'MoreThanOneGarden'`. */
const explained = (code: string): Entry[] =>
  [...code.matchAll(/^ {2}\/\*\* (.*?) \*\/\n {2}\w+: '(\w+)',$/gm)].map(([, means = '', reason = '']) => ({
    name: reason,
    means,
    texts: [reason],
  }))

/** Reasons that are keys, with a message each: `ReconcileFailed: { ...ready, message: 'Reconciliation failed' }`. */
const tabled = (code: string): Entry[] =>
  [...code.matchAll(/^ {2}([A-Z]\w+): \{[^}]*?message:\s+'([^'\n]*)'/gm)]
    .filter(() => !code.includes("reason: '"))
    .map(([, name = '', message = '']) => ({ name, means: message, texts: [name] }))

/** Reasons (`reason: 'Name'`, keys of tables) and messages. */
const textsIn = (code: string): string[] => {
  const reasons = [...code.matchAll(/reason: '(\w+)'|'([A-Z][a-z]+[A-Z]\w+)'/g)].map(
    ([, reason, word]) => reason ?? word ?? '',
  )
  const quoted = [...code.matchAll(/'([^'\n]* [^'\n]*)'|`([^`\n]* [^`\n]*)`/g)].map(([, plain, template]) =>
    (plain ?? template ?? '').replace(
      /\$\{([^{}]*(?:\{[^{}]*\})?[^{}]*)\}/g,
      (_, inner: string) => `«${placeholder(inner)}»`,
    ),
  )
  return [...new Set([...reasons, ...quoted])].filter(text => /^[^,}:]*[a-z]{3}/.test(text))
}

/** `partsText(leftOut, 10)` is LEFTOUT. */
const placeholder = (code: string): string =>
  /\.(join|map)\(/.test(code)
    ? 'NAMES'
    : (/\((\w+)|(\w+)\W*$/.exec(code)?.slice(1).find(Boolean) ?? 'NAME').toUpperCase()

type StateRemedies = Readonly<Record<string, readonly [means: string, whatToDo: string]>>

/** The states of Components, whose reasons are rows of shared/component/reported/component-state.ts. */
export const stateTable = (root: string, remedies: StateRemedies): string => {
  const source = readFileSync(join(root, 'shared/component/reported/component-state.ts'), 'utf8')
  const reasons = [...source.matchAll(/^ {4}reason: (.*),$/gm)].flatMap(([, code = '']) =>
    [...code.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason),
  )
  const known = Object.keys(remedies)
  const faults = [...reasons.filter(reason => !known.includes(reason)), ...known.filter(key => !reasons.includes(key))]
  if (faults.length > 0) throw new Error(`docs/generator/remedies.yaml, component: ${faults.join(', ')}`)
  return [
    '### component',
    '',
    'Reasons of the condition Ready of Components. The message names dependents, or quotes the API server.',
    '',
    '| reason | what it means | what to do |',
    '|---|---|---|',
    ...Object.entries(remedies).map(([reason, [means, whatToDo]]) => `| \`${reason}\` | ${means} | ${whatToDo} |`),
  ].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<br>', ' ').replaceAll('\n', ' ')
