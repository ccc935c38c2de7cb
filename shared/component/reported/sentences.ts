// Sentences of messages, with and without what a template rendered.

/** `full`: with what was rendered; `bare`: without, for manifests that may hold text of Secrets. */
export type Sentence = { readonly full: string; readonly bare: string }

export const openSentence = (sentence: string): Sentence => ({ full: sentence, bare: sentence })

/** The bare sentence if the manifests may hold text of Secrets. */
export const sentenceFor = (
  { isConfidential }: { readonly isConfidential?: boolean },
  { full, bare }: Sentence,
): string => (isConfidential ? bare : full)
