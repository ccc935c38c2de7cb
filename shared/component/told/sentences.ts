// Sentences of messages: with and without what a template rendered, and lists of which the first ten are told.

const shown = 10

/** `full`: with what was rendered; `bare`: without, for manifests that may hold text of Secrets. */
export type Sentence = { readonly full: string; readonly bare: string }

/** A sentence that quotes nothing but names of objects. */
export const openSentence = (sentence: string): Sentence => ({ full: sentence, bare: sentence })

/** The bare sentence if the manifests may hold text of Secrets. */
export const sentenceFor = (
  { isConfidential }: { readonly isConfidential?: boolean },
  { full, bare }: Sentence,
): string => (isConfidential ? bare : full)

/** `a, b, c and 4 more`. `count`: how many there are, if `texts` does not hold all. */
export const listText = (texts: readonly string[], { count = texts.length, between = ', ' } = {}): string => {
  const first = texts.slice(0, shown).join(between)
  const more = count - Math.min(shown, texts.length)
  return more > 0 ? `${first} and ${more} more` : first
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The beginning of a text, never ending within a surrogate pair. */
export const shortened = (charactersMost: number, text: string): string => text.slice(0, charactersMost).toWellFormed()
