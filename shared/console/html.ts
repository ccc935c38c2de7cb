// HTML as tagged templates: every value is escaped, unless it is HTML itself. Attributes are always in double quotes.
//
//   html`<p title="${name}">${message}</p>`.text
//   html`<ul>${names.map(name => html`<li>${name}</li>`)}</ul>`
import { withoutControls } from '../core/text/text.ts'

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
