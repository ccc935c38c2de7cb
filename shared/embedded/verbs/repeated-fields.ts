// Finds keys that an object of a JSON text has twice, by one pass over the text: JSON.parse lets the last one count and says nothing.

/** So many are told. */
const most = 100

const [quote, backslash, comma, colon, blank] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An object or a list that is open: the keys it had so far, none for a list, and the key or index at which it is. */
type Place = { readonly keys: Set<string> | undefined; step: string | number }

/** Their paths as Go spells them, such as `spec.ports[0].name`. The text is one that JSON.parse takes. */
export const repeatedFields = (text: string): string[] => {
  const repeated: string[] = []
  const open: Place[] = []
  for (let at = 0; at < text.length && repeated.length < most; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) {
      const start = at
      at = endOfText(text, start)
      if (isKey(text, at) && isRepeated(open.at(-1), text.slice(start, at + 1))) repeated.push(pathOf(open))
    } else if (sign === comma) nextItem(open.at(-1))
    else if (sign === openBrace) open.push({ keys: new Set(), step: '' })
    else if (sign === openBracket) open.push({ keys: undefined, step: 0 })
    else if (sign === closeBrace || sign === closeBracket) open.pop()
  }
  return [...new Set(repeated)]
}

const endOfText = (text: string, start: number): number => {
  let at = start + 1
  for (let sign = text.charCodeAt(at); sign !== quote; sign = text.charCodeAt(at)) at += sign === backslash ? 2 : 1
  return at
}

const isKey = (text: string, end: number): boolean => {
  let at = end + 1
  while (text.charCodeAt(at) <= blank) at++
  return text.charCodeAt(at) === colon
}

/** Goes on to this key. */
const isRepeated = (place: Place | undefined, quoted: string): boolean => {
  if (!place?.keys) return false
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  place.step = key
  if (place.keys.has(key)) return true
  place.keys.add(key)
  return false
}

const nextItem = (place: Place | undefined): void => {
  if (typeof place?.step === 'number' && !place.keys) place.step++
}

const pathOf = (open: readonly Place[]): string =>
  open
    .map(({ step }) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
