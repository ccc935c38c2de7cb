// HTML as tagged templates: every value is escaped, unless it is HTML itself. Attributes are always in double quotes.
//
//   html`<p title="${name}">${message}</p>`.text
//   html`<ul>${names.map(name => html`<li>${name}</li>`)}</ul>`

/** Text that is HTML already. Only `html` makes it. */
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

/** Control characters, and those that turn the direction of text, would make a message look like another. */
const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (text: string): string =>
  text
    .replace(misleading, character => (/[\n\t]/.test(character) ? character : '\ufffd'))
    .replace(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`)
