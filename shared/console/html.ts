// HTML as tagged templates: every value is escaped, unless it is HTML itself. Attributes are always in double quotes.
//
//   html`<p title="${name}">${message}</p>`.text
//   html`<ul>${names.map(name => html`<li>${name}</li>`)}</ul>`
import { withoutControls } from '../core/text/text.ts'
import type { Link } from '../runtime/why/chain.ts'
import { ageText } from '../runtime/why/explanation.ts'

/** Text that is already HTML. Only `html` creates it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Shown = Html | string | number | false | undefined | readonly Shown[]

export const html = (parts: TemplateStringsArray, ...values: readonly Shown[]): Html =>
  new Html(parts.reduce((text, part, at) => text + textOf(values[at - 1]) + part))

const textOf = (value: Shown): string => {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value === undefined || value === false ? '' : escaped(String(value))
}

const escaped = (text: string): string =>
  withoutControls(text).replace(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`)

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
