// Parses text from a registry or a Secret that should be JSON.

/** undefined when it is no JSON, instead of an error that would quote the text. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
