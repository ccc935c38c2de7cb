// Reads IP addresses into bytes.

/** Four or sixteen bytes; undefined for an invalid address. */
export const addressBytes = (text: string): Uint8Array | undefined =>
  text.includes(':') ? version6(text) : version4(text)

const version4 = (text: string): Uint8Array | undefined => {
  const parts = text.split('.')
  const isGood = parts.length === 4 && parts.every(part => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  return isGood ? Uint8Array.from(parts, Number) : undefined
}

const version6 = (text: string): Uint8Array | undefined => {
  const [head = '', tail, ...more] = text.split('::').map(groups)
  if (more.length > 0 || head === undefined || head === '') return undefined
  const missing = 16 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 || text.includes('::') : missing < 2) return undefined
  return Buffer.concat([head, Buffer.alloc(missing), tail ?? Buffer.alloc(0)])
}

/** Bytes of groups of four digits. The last group may be an IPv4 address. */
const groups = (text: string): Uint8Array | undefined => {
  const parts = (text === '' ? [] : text.split(':')).map(part => {
    if (part.includes('.')) return version4(part)
    return /^[\da-fA-F]{1,4}$/.test(part) ? Buffer.from(part.padStart(4, '0'), 'hex') : undefined
  })
  const bytes = parts.filter(part => part !== undefined)
  return bytes.length === parts.length ? Buffer.concat(bytes) : undefined
}
