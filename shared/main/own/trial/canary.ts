// A text that tests write into Secrets, and that must not appear anywhere else.

export const canary = 'canary-d0f7c3a95e'

/**
 * Whether the text contains the canary, as plain text or in base64.
 *
 *   hasCanary(`the password is ${canary}`) // true
 */
export const hasCanary = (text: string): boolean => spellings.some(spelling => text.includes(spelling))

/** The base64 form of a text's middle depends only on the position of the text (three cases), not on the text around it. */
const spellings = [
  canary,
  ...[0, 1, 2].map(offset => {
    const shifted = Buffer.from(' '.repeat(offset) + canary).toString('base64')
    return shifted.slice(4, -4)
  }),
]
