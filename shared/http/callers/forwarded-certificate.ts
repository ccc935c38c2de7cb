// Reads X-Forwarded-Client-Cert, in which Envoy tells whose certificate it was shown. A proxy adds its element behind those it
// received, which anybody may have written: only the last one is the proxy's own.
//
//   forwardedPem('By=spiffe://a;Cert="-----BEGIN%20CERTIFICATE-----%0A…"') // '-----BEGIN CERTIFICATE-----\n…'

/** The certificate in the last element, as PEM; undefined when there is none or the header cannot be read. */
export const forwardedPem = (header: string): string | undefined => {
  const value = pairsOf(lastElement(header)).find(([key]) => key.toLowerCase() === 'cert')?.[1]
  return value === undefined ? undefined : decoded(value)
}

/**
 * Read from the end, since nothing that was written before it may change its meaning: `Cert=…;x="` would draw the element behind it into
 * its quotes. '' when no element ends there.
 */
const lastElement = (header: string): string => {
  let isQuoted = false
  for (let at = header.length - 1; at >= 0; at--) {
    if (isQuote(header, at)) isQuoted = !isQuoted
    else if (header[at] === ',' && !isQuoted) return header.slice(at + 1)
  }
  return isQuoted ? '' : header
}

/** A backslash takes its meaning from a quote, and from another backslash. */
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

/** At semicolons. */
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
