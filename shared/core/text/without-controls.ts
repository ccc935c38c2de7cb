// Text that cannot mislead the person who reads it, on a page or in a terminal.

const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Replaces control characters, but newline and tab, and characters that turn the direction of text. */
export const withoutControls = (text: string): string =>
  text.replace(misleading, character => (/[\n\t]/.test(character) ? character : '\ufffd'))
