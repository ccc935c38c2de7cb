// Words of the console for states, ages and conditions. Pure. A colour is never used without a word.
import type { Link } from '../runtime/why/chain.ts'
import { ageText } from '../runtime/why/explanation.ts'

export const stateWords: Readonly<Record<Link['is'], string>> = {
  failed: 'in trouble',
  deleting: 'being deleted',
  waiting: 'waiting',
  suspended: 'suspended',
  ready: 'ready',
  missing: 'missing',
  unknown: 'unknown',
}

/** Empty if the time is missing or invalid. */
export const agoText = (since: string | undefined, now: Date): string =>
  since === undefined || Number.isNaN(Date.parse(since)) ? '' : ageText(since, now)

/** `MinimumReplicasUnavailable` → `minimum replicas unavailable` */
export const spaced = (word: string): string =>
  word
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z](?!s\b)[a-z])/g, '$1 $2')
    .split(/[ _-]+/)
    .map(part => (/^[A-Z\d]{2,}s?$/.test(part) ? part : part.toLowerCase()))
    .join(' ')

/** Quotes a word for a command that users copy into a shell. */
export const shellWord = (word: string): string =>
  /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
