// Finds keys that an object of a JSON text contains twice. JSON.parse uses the last value without an error.

const most = 100

const [quote, backslash, comma, colon, blank] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An open object or list, with the keys so far (undefined for a list) and the current key or index. */
type Place = { readonly keys: Set<string> | undefined; step: string | number }

/** The paths of repeated fields. JSON.parse must accept the text. */
export const repeatedFields = (text: string): string[] => {
  const repeated = new Set<string>()
  let count = 0
  eachKey(text, (path, isAgain) => {
    if (isAgain) repeated.add(path())
    return isAgain && ++count >= most
  })
  return [...repeated]
}

/** `path` is spelled as in Go, for example `spec.ports[0].name`. Returns true to stop. */
type Visit = (path: () => string, isAgain: boolean) => boolean

export const eachKey = (text: string, visit: Visit): void => {
  const open: Place[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) {
      const start = at
      at = endOfText(text, start)
      if (isKey(text, at) && visit(() => pathOf(open), isRepeated(open.at(-1), text.slice(start, at + 1)))) return
    } else if (sign === comma) nextItem(open.at(-1))
    else if (sign === openBrace) open.push({ keys: new Set(), step: '' })
    else if (sign === openBracket) open.push({ keys: undefined, step: 0 })
    else if (sign === closeBrace || sign === closeBracket) open.pop()
  }
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
