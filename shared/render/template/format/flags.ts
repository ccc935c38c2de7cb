// The flags, width and precision of one printf verb, and the padding that follows from them.

export type Flags = {
  readonly plus: boolean
  readonly minus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  readonly width: number | undefined
  readonly precision: number | undefined
  /** `%#v` and `%+v`. */
  readonly isGoSyntax: boolean
  readonly isWithNames: boolean
}

export const noFlags: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
  isGoSyntax: false,
  isWithNames: false,
}

/** Filled up to the width, which counts runes; zeros go to the left only. */
export const padded = (text: string, flags: Flags): string => {
  if (flags.width === undefined) return text
  const missing = flags.width - [...text].length
  if (missing <= 0) return text
  if (flags.minus) return text + ' '.repeat(missing)
  return (flags.zero ? '0' : ' ').repeat(missing) + text
}
