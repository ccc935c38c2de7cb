// The rows of cases as they lie in cases/*.yaml: requests, and what the real API server answered to them. Nobody writes the
// `then`s by hand: record.ts asks the real one.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type Step = {
  /** A request: `POST configmaps`, `GET secrets/a?x=y`, `MERGE configmaps/a`; `ns:name` is an object of another namespace. */
  readonly do?: string
  readonly body?: unknown
  /** The media types that the answer may have. */
  readonly accept?: string
  /** The user who asks; the administrator if not given. */
  readonly as?: string
  /** Waits until that user may do this much to a kind of access control: `create roles`, or to an object: `get core/secrets/a`. */
  readonly until?: string
  /** Names for parts of the answer, for use in later steps as `${name}`. */
  readonly save?: Readonly<Record<string, string>>
  /** Paths of the answered object to compare, `whole` or `managers`; without it all but what the server alone decides. */
  readonly show?: readonly string[] | 'whole' | 'managers' | 'code' | 'warnings'
  /** A watch that is open from here on; `take` says how many events are compared. */
  readonly watch?: string
  readonly take?: number
  /** Waits until an object `is` gone, or has these values at these paths. */
  readonly await?: string
  /** The same for an object that is served differently, because its definition changed: no event tells when. */
  readonly served?: string
  readonly is?: 'gone' | Readonly<Record<string, unknown>>
  /** Stores a webhook configuration and waits until it counts. */
  readonly webhooks?: 'validating' | 'mutating'
  readonly name?: string
  readonly each?: readonly Readonly<Record<string, unknown>>[]
  /** Stores admission policies (`spec`) with a binding each (`binding`: its spec) for this case's ConfigMaps, and waits until they count. */
  readonly policies?: 'validating' | 'mutating'
  /** Compares the webhooks' calls since the last such step. */
  readonly calls?: true
  /** What the real API server answered. */
  readonly then?: unknown
}

/** How a webhook of a case answers. */
export type Hook = {
  readonly allowed?: boolean
  readonly status?: unknown
  readonly patch?: unknown
  readonly warnings?: readonly string[]
  readonly silent?: boolean
  readonly raw?: unknown
  readonly code?: number
}

export type Case = {
  readonly name: string
  /** A definition of Things in this case's own group, served before the first step: versions, names, scope. */
  readonly things?: Readonly<Record<string, unknown>>
  readonly hooks?: Readonly<Record<string, Hook>>
  readonly steps: readonly Step[]
}

export type Row = { readonly id: string; readonly title: string; readonly cases: readonly Case[] }

export const casesFolder = join(import.meta.dirname, 'cases')

/** All rows, in the order of their files. */
export const rows = (): Row[] =>
  readdirSync(casesFolder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map(file => rowOf(readFileSync(join(casesFolder, file), 'utf8')))

const rowOf = (text: string): Row => {
  const { id, title, cases } = parse(text, { merge: true }) as Row
  return { id, title, cases }
}
