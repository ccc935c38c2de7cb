// Sentences: what may be told of one, and lists in them: the first ten, and how many more there are.

const shown = 10

/** A sentence, and the same without what was rendered, for where that may be text of a Secret. */
export type Sentence = { readonly full: string; readonly bare: string }

/** It names no more than the objects it is about. */
export const openSentence = (sentence: string): Sentence => ({ full: sentence, bare: sentence })

/** `isConfidential`: what was rendered is not told. */
export const sentenceFor = (
  { isConfidential }: { readonly isConfidential?: boolean },
  { full, bare }: Sentence,
): string => (isConfidential ? bare : full)

/** `a, b, c and 4 more`. `count` is how many there are in all, where not all are at hand. */
export const listText = (texts: readonly string[], { count = texts.length, between = ', ' } = {}): string => {
  const first = texts.slice(0, shown).join(between)
  const more = count - Math.min(shown, texts.length)
  return more > 0 ? `${first} and ${more} more` : first
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Its beginning, as text that an API server stores as it is: without half a character. */
export const shortened = (charactersMost: number, text: string): string => text.slice(0, charactersMost).toWellFormed()
