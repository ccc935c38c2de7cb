// A text that tests put into Secrets, and that must appear nowhere else.

export const canary = 'canary-d0f7c3a95e'

/**
 * Whether the text contains the canary, as plain text or in base64.
 *
 *   hasCanary(`the password is ${canary}`) // true
 */
export const hasCanary = (text: string): boolean => spellings.some(spelling => text.includes(spelling))

/** In base64 the middle of a text depends only on where it begins (three cases), not on the text around it. */
const spellings = [
  canary,
  ...[0, 1, 2].map(offset => {
    const shifted = Buffer.from(' '.repeat(offset) + canary).toString('base64')
    return shifted.slice(4, -4)
  }),
]
