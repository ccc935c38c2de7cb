// Reads serverless.yml: parses it strictly, and checks schema and landscape-faults.ts. Host, relay, `npm run generate` and the osls plugin
// use the result, and rely on a valid Landscape.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'
import type { Landscape } from '../../api/serverless.ts'
import { includedIn, includeFaults, withIncluded } from './included.ts'
import { type IsThere, landscapeFaults } from './landscape-faults.ts'
import { type LandscapeRefusal, LandscapeRefused } from './refusal.ts'
import { schemaFaults } from './schema-faults.ts'

/** Looks for functions beside the file. `carried`: functions that may be included. Throws LandscapeRefused with all faults. */
export const readLandscape = (file: string | URL, isThere?: IsThere, carried?: Landscape): Landscape => {
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  const value = parsed(readFileSync(path, 'utf8'), basename(path))
  const isBelow = isThere ?? functionsBelow(dirname(path))
  if (carried === undefined) return acceptedLandscape(value, isBelow, basename(path))
  refuseIfAny(basename(path), includeFaults(value, carried))
  const included = includedIn(value)
  const isSomewhere: IsThere = (name, exported) => included.includes(name) || isBelow(name, exported)
  return acceptedLandscape(withIncluded(value, carried), isSomewhere, basename(path))
}

/** Looks for functions in the sources below the folder. */
export const functionsBelow =
  (root: string): IsThere =>
  (name, exported) => {
    const file = join(root, 'functions', name, 'index.ts')
    if (exported === undefined || !existsSync(file)) return existsSync(file)
    return new RegExp(`^export const ${exported}\\b`, 'm').test(readFileSync(file, 'utf8'))
  }

/** Throws LandscapeRefused for a faulty value. `file`: the name of the file in the message. */
export const acceptedLandscape = (value: unknown, isThere: IsThere, file: string): Landscape => {
  refuseIfAny(file, schemaFaults(value))
  const landscape = value as Landscape
  refuseIfAny(file, landscapeFaults(landscape, isThere))
  return landscape
}

/** YAML 1.2, as osls reads it. Duplicate keys and unknown tags are errors. */
const parsed = (text: string, file: string): unknown => {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  refuseIfAny(
    file,
    faults.map(fault => ({ path: placeOf(fault), found: sentenceOf(fault.message), allowed: 'YAML 1.2' })),
  )
  return document.toJS()
}

const placeOf = (fault: { linePos?: readonly { line: number; col: number }[] }): string => {
  const [start] = fault.linePos ?? []
  return start ? `line ${start.line}, column ${start.col}` : 'the file'
}

/** Omits the place, which `path` names, and the excerpt of the file. */
const sentenceOf = (message: string): string => message.replace(/( at line \d+, column \d+:)?\n[\s\S]*$/, '')

const refuseIfAny = (file: string, refusals: readonly LandscapeRefusal[]): void => {
  if (refusals.length > 0) throw new LandscapeRefused(file, refusals)
}
