// Reads X-Forwarded-Client-Cert, in which Envoy tells whose certificate it was shown. A proxy adds its element behind those it
// received, which anybody may have written: only the last one is the proxy's own.
//
//   forwardedPem('By=spiffe://a;Cert="-----BEGIN%20CERTIFICATE-----%0A…"') // '-----BEGIN CERTIFICATE-----\n…'

/** The certificate in the last element, as PEM; undefined when there is none or the header cannot be read. */
export const forwardedPem = (header: string): string | undefined => {
  const value = pairsOf(lastElement(header)).find(([key]) => key.toLowerCase() === 'cert')?.[1]
  return value === undefined ? undefined : decoded(value)
}

/** Commas and semicolons within quotes separate nothing; a backslash takes its meaning from what follows. */
const lastElement = (header: string): string => splitOutsideQuotes(header, ',').at(-1) ?? ''

const pairsOf = (element: string): [string, string][] =>
  splitOutsideQuotes(element, ';').map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), unquoted(pair.slice(at + 1).trim())]
  })

const splitOutsideQuotes = (text: string, separator: ',' | ';'): string[] => {
  const parts: string[] = []
  let [begin, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === separator && !isQuoted) {
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
