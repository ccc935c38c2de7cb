// Texts for people and for other programs: long lists and texts shortened, and signs, passwords and slashes that must not stay.

type ListForm = {
  /** How many there are, if the list does not hold all. */
  readonly count?: number
  readonly between?: string
  /** So many are shown. */
  readonly most?: number
  /** What follows the last one that is shown: `and 4 more`, for instance. */
  readonly rest?: (count: number) => string
}

/** `a, b, c and 4 more`. */
export const listText = (texts: readonly string[], form: ListForm = {}): string => {
  const { count = texts.length, between = ', ', most = 10, rest = left => ` and ${left} more` } = form
  const left = count - Math.min(most, texts.length)
  return texts.slice(0, most).join(between) + (left > 0 ? rest(left) : '')
}

/** `a; b; and 4 more`: for parts that are sentences, or lists themselves. */
export const partsText = (parts: readonly string[], most: number): string =>
  listText(parts, { most, between: '; ', rest: left => `; and ${left} more` })

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The beginning of a text, never ending within a surrogate pair. */
export const shortened = (charactersMost: number, text: string): string => text.slice(0, charactersMost).toWellFormed()

/** The same, with `…` where something is left out. */
export const excerpt = (charactersMost: number, text: string): string =>
  text.length > charactersMost ? `${shortened(charactersMost, text)}…` : text

/** A text of at most 80 characters, of which the last three are dots if something is left out. */
export const lineOf = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text)

export const valueText = (value: unknown): string => lineOf(JSON.stringify(value) ?? 'nothing')

/** `/api//` as `/api`. Only the first slash of a row begins a match, so that long rows in the midst cost no more than one look. */
export const withoutSlashesAtEnd = (text: string): string => text.replace(/(?<!\/)\/+$/, '')

/** `\u0085` of the sign. */
export const unicodeEscape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON as Go writes it: with nothing in it that HTML could take for markup, or JavaScript for the end of a line. */
export const htmlSafe = (json: string): string => json.replace(htmlSigns, unicodeEscape)

const htmlSigns = /[<>&\u2028\u2029]/g

const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Replaces control characters, but newline and tab, and characters that turn the direction of text. */
export const withoutControls = (text: string): string =>
  text.replace(misleading, character => (/[\n\t]/.test(character) ? character : '\ufffd'))

/** `https://***@host/path` of `https://user:password@host/path`. A digest at the end is no address: `host/path@sha256:…` stays. */
export const withoutUser = (address: string): string =>
  address.replace(/^([a-z]+:\/\/)?.*@(?!sha\d+:[^@]*$)/s, (_, scheme: string | undefined) => `${scheme ?? ''}***@`)
