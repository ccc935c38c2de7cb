// Text from elsewhere that should be JSON.

/** undefined where it is none; no fault quotes it. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
