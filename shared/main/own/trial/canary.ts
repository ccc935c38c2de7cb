// A text that tests put into Secrets, and that must come out nowhere else.

export const canary = 'canary-d0f7c3a95e'

/**
 * Whether the text has it, as it is or in base64.
 *
 *   hasCanary(`the password is ${canary}`) // true
 */
export const hasCanary = (text: string): boolean => spellings.some(spelling => text.includes(spelling))

/** In base64 the middle of a text does not depend on what stands around it, but for where it begins. */
const spellings = [
  canary,
  ...[0, 1, 2].map(offset => {
    const shifted = Buffer.from(' '.repeat(offset) + canary).toString('base64')
    return shifted.slice(4, -4)
  }),
]
