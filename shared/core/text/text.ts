// Shortens and escapes texts for people and for other programs.

type ListForm = {
  /** The total count, if `texts` does not contain all. */
  readonly count?: number
  readonly between?: string
  readonly most?: number
  /** Text after the last shown item. Default: ` and 4 more`. */
  readonly rest?: (count: number) => string
}

/** `a, b, c and 4 more`. */
export const listText = (texts: readonly string[], form: ListForm = {}): string => {
  const { count = texts.length, between = ', ', most = 10, rest = left => ` and ${left} more` } = form
  const left = count - Math.min(most, texts.length)
  return texts.slice(0, most).join(between) + (left > 0 ? rest(left) : '')
}

/** `a; b; and 4 more`, for parts that contain commas. */
export const partsText = (parts: readonly string[], most: number): string =>
  listText(parts, { most, between: '; ', rest: left => `; and ${left} more` })

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The beginning of a text. Never splits a surrogate pair. */
export const shortened = (charactersMost: number, text: string): string => text.slice(0, charactersMost).toWellFormed()

export const excerpt = (charactersMost: number, text: string): string =>
  text.length > charactersMost ? `${shortened(charactersMost, text)}…` : text

/** At most 80 characters, with `...` at the end if text was cut. */
export const lineOf = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text)

export const valueText = (value: unknown): string => lineOf(JSON.stringify(value) ?? 'nothing')

/** `/api//` → `/api`. A match starts only at the first slash of a run, so long runs inside the text cost linear time. */
export const withoutSlashesAtEnd = (text: string): string => text.replace(/(?<!\/)\/+$/, '')

/** The escape of a character, such as `\u0085`. */
export const unicodeEscape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes JSON as Go does: HTML markup and JavaScript line ends. */
export const htmlSafe = (json: string): string => json.replace(htmlSigns, unicodeEscape)

const htmlSigns = /[<>&\u2028\u2029]/g

const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Replaces control characters except newline and tab, and characters that change the text direction. */
export const withoutControls = (text: string): string =>
  text.replace(misleading, character => (/[\n\t]/.test(character) ? character : '\ufffd'))

/** `https://user:password@host/path` → `https://***@host/path`. A digest is not a user: `host/path@sha256:…` stays unchanged. */
export const withoutUser = (address: string): string =>
  address.replace(/^([a-z]+:\/\/)?.*@(?!sha\d+:[^@]*$)/s, (_, scheme: string | undefined) => `${scheme ?? ''}***@`)
