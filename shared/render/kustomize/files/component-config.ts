// `.component-config.yaml` overrides the options of the caller, and `.component-ignore` excludes files.
import { type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { blaming, type Files } from '../../generator.ts'
import { globMatcher, type IgnoreRule, ignoreRules, isIgnoredWithin, type PathMatcher } from '../../glob.ts'
import { type Shape, shaped } from './arguments.ts'
import { parsed } from './kustomization.ts'

export type TemplateOptions = {
  /** Only files with this suffix are templates; the suffix is removed from their names. Without a suffix all files are templates. */
  readonly templateSuffix?: string
  readonly leftTemplateDelimiter?: string
  readonly rightTemplateDelimiter?: string
}

export type ComponentConfig = TemplateOptions & {
  /** Files and folders outside the kustomization's folder that templates may read. */
  readonly includedFiles: readonly string[]
  /** Kustomizations outside the folder. Each kustomization is rendered with its own config. */
  readonly includedKustomizations: readonly string[]
  readonly values: JsonMap
}

export const configName = '.component-config.yaml'
export const ignoreName = '.component-ignore'

const texts: Shape = { list: 'string' }

const shape: Shape = {
  fields: {
    templateSuffix: 'string',
    leftTemplateDelimiter: 'string',
    rightTemplateDelimiter: 'string',
    includedFiles: texts,
    includedKustomizations: texts,
    values: { map: 'anything' },
  },
}

export const componentConfig = (files: Files, options: TemplateOptions, at: string): ComponentConfig => {
  const written = files.get(configName)
  const config = written && blaming({ kind: 'settings', file: at }, () => configIn(written, at))
  const defaults = { ...options, includedFiles: [], includedKustomizations: [], values: {} }
  return { ...defaults, ...mapOrEmpty(config) }
}

const configIn = (content: Uint8Array, at: string): unknown =>
  shaped(parsed(new TextDecoder().decode(content), at), shape, at)

/** Whether `.component-ignore`, in the syntax of .gitignore, excludes a path. */
export const ignoredIn = (files: Files): ((path: string) => boolean) => {
  const lines = new TextDecoder().decode(files.get(ignoreName)).split('\n')
  const rules = ignoreRules(
    lines.map(line => line.trimEnd()),
    ignoreName,
    matcherOf,
  )
  return path => isIgnoredWithin(path, (part, isFolder) => lastWord(rules, part, isFolder))
}

const lastWord = (rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean => {
  const rule = rules.findLast(({ matches, isForFolders }) => (isFolder || !isForFolders) && matches(path))
  return rule !== undefined && !rule.isNegated
}

/** A pattern without a slash before its end matches names at any depth. */
const matcherOf = (written: string): PathMatcher | undefined => {
  const pattern = written.replace(/^\\([#!])/, '$1')
  const anchored = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`
  const [deep, direct] = [anchored, anchored.replaceAll('**/', '')].map(one =>
    globMatcher(one.replace(/[{},]/g, '\\$&')),
  )
  return deep && direct && (path => deep(path) || direct(path))
}
