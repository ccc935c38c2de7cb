// Reads X-Forwarded-Client-Cert, in which Envoy forwards client certificates. Each proxy appends an element. Only the last element is
// trusted, because a client can write the earlier elements.
//
//   forwardedPem('By=spiffe://a;Cert="-----BEGIN%20CERTIFICATE-----%0A…"') // '-----BEGIN CERTIFICATE-----\n…'

/** PEM of the last element; undefined when it is missing or the header is invalid. */
export const forwardedPem = (header: string): string | undefined => {
  const value = pairsOf(lastElement(header)).find(([key]) => key.toLowerCase() === 'cert')?.[1]
  return value === undefined ? undefined : decoded(value)
}

/**
 * Reads from the end, because earlier text must not change the meaning: `Cert=…;x="` would include the next element in its quotes. Empty if
 * no element ends there.
 */
const lastElement = (header: string): string => {
  let isQuoted = false
  for (let at = header.length - 1; at >= 0; at--) {
    if (isQuote(header, at)) isQuoted = !isQuoted
    else if (header[at] === ',' && !isQuoted) return header.slice(at + 1)
  }
  return isQuoted ? '' : header
}

/** A backslash escapes a quote or another backslash. */
const isQuote = (text: string, at: number): boolean => {
  if (text[at] !== '"') return false
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 0
}

const pairsOf = (element: string): [string, string][] =>
  splitOutsideQuotes(element).map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), unquoted(pair.slice(at + 1).trim())]
  })

const splitOutsideQuotes = (text: string): string[] => {
  const parts: string[] = []
  let [begin, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    if (isQuote(text, at)) isQuoted = !isQuoted
    else if (text[at] === ';' && !isQuoted) {
      parts.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  return [...parts, text.slice(begin)]
}

const unquoted = (value: string): string =>
  /^"(?<inner>.*)"$/s.exec(value)?.groups?.inner?.replaceAll('\\"', '"') ?? value

const decoded = (value: string): string | undefined => {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
