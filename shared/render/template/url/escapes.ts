// Percent escapes in the parts of a URL, as Go's net/url writes and reads them.
import { quote } from '../format/quote.ts'
import { bytesOf, textOf } from '../value/bytes.ts'

type Place = 'path' | 'fragment' | 'user' | 'host'

const plain = /[A-Za-z0-9\-_.~]/
const kept: Readonly<Record<Place, RegExp>> = {
  path: /[$&+,/:;=@]/,
  fragment: /[$&+,/:;=?@!()]/,
  user: /[$&+,;=]/,
  host: /[!$&'()*+,;=:[\]<>"]/,
}

export const escaped = (text: string, place: Place): string =>
  Array.from(bytesOf(text), byte => {
    const sign = String.fromCharCode(byte)
    const isKept = plain.test(sign) || (byte < 0x80 && kept[place].test(sign))
    return isKept ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

/** What is wrong with a part of a URL, in Go's words. */
export class UrlFault extends Error {
  override readonly name = 'UrlFault'
}

/** Throws a UrlFault where a % begins no escape. */
export const unescaped = (text: string): string => {
  const bad = /%(?![\da-fA-F]{2}).{0,2}/s.exec(text)
  if (bad !== null) throw new UrlFault(`invalid URL escape ${quote(bad[0])}`)
  const bytes = text.split(/(%[\da-fA-F]{2})/).map(part => {
    return /^%[\da-fA-F]{2}$/.test(part) ? Uint8Array.of(Number.parseInt(part.slice(1), 16)) : bytesOf(part)
  })
  return textOf(Buffer.concat(bytes))
}
