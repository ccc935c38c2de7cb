// Reads IP addresses into bytes.

/** Four or sixteen bytes; undefined for an invalid address or one with a zone. */
export const addressBytes = (text: string): Uint8Array | undefined => {
  const parts = text.split('.')
  const isVersion4 = parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  if (isVersion4) return Uint8Array.from(parts, Number)
  const url = /^[\da-f.]*:[\da-f:.]*$/i.test(text) ? URL.parse(`http://[${text}]/`) : null
  return url ? version6(url.hostname.slice(1, -1)) : undefined
}

/** The URL parser has written the address in its shortest form. */
const version6 = (text: string): Uint8Array => {
  const [head = '', tail = ''] = text.split('::')
  const [left, right] = [groups(head), groups(tail)]
  return Buffer.concat([left, Buffer.alloc(16 - left.length - right.length), right])
}

const groups = (text: string): Buffer =>
  Buffer.from(text.replace(/\w+/g, group => group.padStart(4, '0')).replaceAll(':', ''), 'hex')
