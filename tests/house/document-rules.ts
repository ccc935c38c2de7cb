// What documents and comments name is there: files, folders, links with their headings, npm scripts, commands, settings.
import { posix } from 'node:path'
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

export type MarkdownFile = { readonly path: string; readonly text: string }

export type Known = {
  readonly files: readonly string[]
  readonly scripts: readonly string[]
  /** What `npx` finds. */
  readonly commands: readonly string[]
  /** Flags of our programs, without `--`. */
  readonly flags: readonly string[]
  readonly variables: readonly string[]
  /** The headings of a document, by its path. */
  readonly headings: ReadonlyMap<string, readonly string[]>
}

export const documentFaults = (document: MarkdownFile, known: Known): Fault[] =>
  [
    ...linkFaults(document, known),
    ...codeIn(document.text).flatMap(code => codeFaults(document.path, code, known)),
  ].map(fault => ({ path: document.path, fault: `names ${fault}, which is not there` }))

/** `See plan.ts` in a comment: there is such a file. */
export const commentFaults = ({ path, comments }: Source, known: Known): Fault[] =>
  comments
    .flatMap(comment => comment.match(/(?<![\w./@*<>…-])[a-z][\w./-]*\.(ts|mjs|cjs|md)\b/g) ?? [])
    .filter(name => !isFile('', name, known))
    .map(name => ({ path, fault: `names ${name}, which is not there` }))

const blocks = /```[a-z]*\n([\s\S]*?)```/g
const span = /`([^`]+)`/g

/** Spans and blocks of code. */
const codeIn = (text: string): string[] => {
  const spans = [...text.replace(blocks, '').matchAll(span)]
  return [...text.matchAll(blocks), ...spans].map(([, code = '']) => code)
}

const codeFaults = (document: string, code: string, known: Known): string[] => [
  ...named(code, /\bnpm run ([a-z][\w:-]*)/g).filter(name => !known.scripts.includes(name)),
  ...named(code, /\bnpx ([a-z][\w-]*)/g).filter(name => !known.commands.includes(name)),
  ...named(code, /\b(ESPALIER_[A-Z_]+)\b/g).filter(name => !known.variables.includes(name)),
  ...flagsIn(code).filter(name => !known.flags.includes(name)),
  ...pathsIn(code).filter(name => !isFile(roomOf(document), name, known)),
]

/** What a document tells of: its folder, and everything for those of the project. */
const roomOf = (document: string): string => (/^(shared|functions)\//.test(document) ? posix.dirname(document) : '')

const named = (code: string, pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, name = '']) => name)

/** A flag that stands alone, or in a command of ours; those in commands of others are theirs. */
const flagsIn = (code: string): string[] => {
  if (code.startsWith('--')) return named(code, /^--([a-z][a-z0-9-]*)/g)
  return /^npm (start|run (host|relay)) -- /.test(code) ? named(code, / --([a-z][a-z0-9-]*)/g) : []
}

/** Paths below our folders, names of files in our languages, and folders that stand alone (`yaml/`). */
const pathsIn = (code: string): string[] => [
  ...named(code, /(?<![\w./-])((?:shared|functions|tests|bench|manifests|docs)\/[\w./…<>*-]*)/g),
  ...named(code, /(?<![\w./…<>*-])([a-z][\w./-]*\.(?:ts|mjs|cjs|md))\b/g),
  ...named(code, /^((?:[a-z][a-z0-9-]*\/)+)$/g),
]

/** A path from the project's root, or the end of one below the folder of what names it: a document of a room tells of that room. */
const isFile = (folder: string, name: string, { files }: Known): boolean => {
  const asked = pattern(name.replace(/[./]+$/, ''))
  const path = new RegExp(`^(${folder === '' ? '' : `${escaped(folder)}/`}(.*/)?)?${asked}(/.*)?$`)
  return files.some(file => path.test(file))
}

/** `<name>`, `…`, `*`, and the `x` of `functions/x` stand for one part of a path. */
const pattern = (name: string): string =>
  escaped(name.replace(/^functions\/x\b/, 'functions/*').replace(/<[^>]*>|…/g, '*')).replace(/\\\*/g, '[^/]*')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const linkFaults = ({ path, text }: MarkdownFile, known: Known): string[] =>
  named(text.replace(blocks, '').replace(span, ''), /\]\(([^)\s]+)\)/g)
    .filter(link => !/^[a-z]+:/.test(link))
    .filter(link => !isLinked(path, link, known))

const isLinked = (document: string, link: string, { files, headings }: Known): boolean => {
  const [to = '', heading] = link.split('#')
  const path = to === '' ? document : posix.normalize(posix.join(posix.dirname(document), to)).replace(/\/$/, '')
  if (heading !== undefined) return headings.get(path)?.includes(heading) ?? false
  return files.some(file => file === path || file.startsWith(`${path}/`))
}

/** The anchors of a document's headings, as they are made of their text. */
export const headingsIn = (text: string): string[] =>
  named(text, /^#+ (.*)$/gm).map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
