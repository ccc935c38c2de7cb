// Sentences for messages, with and without rendered text.

/** `full` contains rendered text. `bare` contains no rendered text. Messages use `bare` if manifests may contain text of Secrets. */
export type Sentence = { readonly full: string; readonly bare: string }

export const openSentence = (sentence: string): Sentence => ({ full: sentence, bare: sentence })

export const sentenceFor = (
  { isConfidential }: { readonly isConfidential?: boolean },
  { full, bare }: Sentence,
): string => (isConfidential ? bare : full)
