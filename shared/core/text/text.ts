// Texts for people: lists of which the first ones are told, and long texts of which the beginning is.

type ListForm = {
  /** How many there are, if the list does not hold all. */
  readonly count?: number
  readonly between?: string
  /** So many are told. */
  readonly most?: number
  /** What follows the last one that is told: `and 4 more`, for instance. */
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
