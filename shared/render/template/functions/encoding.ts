// Base64 and base32. As in sprig, decoding an invalid text returns the message of the error.
import { Failure } from '../run/failure.ts'
import { bytesOf, textOf } from '../value/bytes.ts'
import { type FunctionTable, fn } from '../value/signature.ts'

type Alphabet = { readonly name: string; readonly signs: string; readonly bits: number; readonly block: number }

const base64: Alphabet = {
  name: 'base64',
  signs: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  block: 4,
}
const base32: Alphabet = { name: 'base32', signs: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', bits: 5, block: 8 }

const encode = (bytes: Uint8Array, { signs, bits, block }: Alphabet): string => {
  const written: string[] = []
  let [held, count] = [0, 0]
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    for (count += 8; count >= bits; count -= bits)
      written.push(signs[(held >> (count - bits)) & ((1 << bits) - 1)] ?? '')
  }
  if (count > 0) written.push(signs[(held << (bits - count)) & ((1 << bits) - 1)] ?? '')
  const text = written.join('')
  return text.padEnd(Math.ceil(text.length / block) * block, '=')
}

const corrupt = (alphabet: Alphabet, at: number): Failure =>
  new Failure(`illegal ${alphabet.name} data at input byte ${at}`)

/** Skips line breaks. Throws a Failure that names the first bad byte. */
const decode = (text: string, alphabet: Alphabet): Uint8Array => {
  const { signs, bits, block } = alphabet
  const bytes = new Uint8Array(Math.ceil((text.length * bits) / 8))
  let [held, count, seen, size] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if (sign === '\n' || sign === '\r') continue
    if (sign === '=') {
      checkPadding(text, at, seen % block, alphabet)
      return bytes.subarray(0, size)
    }
    const value = signs.indexOf(sign)
    if (value < 0) throw corrupt(alphabet, at)
    held = ((held << bits) | value) & 0xffff
    count += bits
    seen += 1
    if (count >= 8) {
      count -= 8
      bytes[size] = (held >> count) & 255
      size += 1
    }
  }
  if (seen % block !== 0) throw corrupt(alphabet, text.length - (seen % block))
  return bytes.subarray(0, size)
}

/** Possible numbers of characters in a padded last block. */
const partial: Readonly<Record<string, readonly number[]>> = { base64: [2, 3], base32: [2, 4, 5, 7] }

const checkPadding = (text: string, at: number, signs: number, alphabet: Alphabet): void => {
  if (!partial[alphabet.name]?.includes(signs)) throw corrupt(alphabet, at)
  const rest = text.slice(at).replaceAll(/[\r\n]/g, '')
  if (rest.length < alphabet.block - signs) throw corrupt(alphabet, text.length)
  const wrong = text.slice(at).search(/[^=\r\n]/)
  if (wrong >= 0) throw corrupt(alphabet, at + wrong)
  if (rest.length > alphabet.block - signs) throw corrupt(alphabet, at + alphabet.block - signs)
}

const isOrdinaryBase64 = (text: string): boolean =>
  text.length % base64.block === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

export const bytesFromBase64 = (text: string): Uint8Array =>
  isOrdinaryBase64(text) ? Buffer.from(text, 'base64') : decode(text, base64)

const bytesFromBase32 = (text: string): Uint8Array => decode(text, base32)

const decodedOr = (text: string, read: (text: string) => Uint8Array): string => {
  try {
    return textOf(read(text))
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

export const encoding: FunctionTable = {
  b32dec: fn('string', text => decodedOr(text, bytesFromBase32)),
  b32enc: fn('string', text => encode(bytesOf(text), base32)),
  b64dec: fn('string', text => decodedOr(text, bytesFromBase64)),
  b64enc: fn('string', text => Buffer.from(bytesOf(text)).toString('base64')),
}
