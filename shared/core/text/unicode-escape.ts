// Signs as the escapes that JSON, TOML and Go have for them.

/** `\u0085` of the sign. */
export const unicodeEscape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON as Go writes it: with nothing in it that HTML could take for markup, or JavaScript for the end of a line. */
export const htmlSafe = (json: string): string => json.replace(htmlSigns, unicodeEscape)

const htmlSigns = /[<>&\u2028\u2029]/g
