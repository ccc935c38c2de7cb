// Digests and ciphers that need no randomness but an initialisation vector.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { Failure } from '../run/failure.ts'
import { bytesOf, textOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import type { TemplateFunction } from '../value/value.ts'
import { bytesFromBase64 } from './encoding.ts'

const digest = (algorithm: string): TemplateFunction =>
  fn('string', text => createHash(algorithm).update(bytesOf(text)).digest('hex'))

const adlerBase = 65521

const adler32 = (text: string): string => {
  let [low, high] = [1, 0]
  for (const byte of bytesOf(text)) {
    low = (low + byte) % adlerBase
    high = (high + low) % adlerBase
  }
  return String(high * 65536 + low)
}

const blockSize = 16

/** The password's first 32 bytes, filled up with zeros. */
const keyOf = (password: string): Uint8Array => Buffer.concat([bytesOf(password), Buffer.alloc(32)]).subarray(0, 32)

const encrypt = (password: string, text: string, vector: Uint8Array): string => {
  const cipher = createCipheriv('aes-256-cbc', keyOf(password), vector)
  return Buffer.concat([vector, cipher.update(bytesOf(text)), cipher.final()]).toString('base64')
}

const decrypt = (password: string, text: string): string => {
  const bytes = bytesFromBase64(text)
  if (bytes.length < 2 * blockSize || bytes.length % blockSize !== 0)
    throw new Failure('crypto/cipher: input not full blocks')
  const cipher = createDecipheriv('aes-256-cbc', keyOf(password), bytes.subarray(0, blockSize)).setAutoPadding(false)
  const plain = Buffer.concat([cipher.update(bytes.subarray(blockSize)), cipher.final()])
  const padding = plain.at(-1) ?? 0
  if (padding > plain.length) throw new Failure('runtime error: slice bounds out of range')
  return textOf(plain.subarray(0, plain.length - padding))
}

export const digests: FunctionTable = {
  adler32sum: fn('string', adler32),
  decryptAES: fn('string string', (password, text) => (text === '' ? '' : decrypt(password, text))),
  encryptAES: within('string string', ({ draw }, password, text) =>
    text === '' ? '' : encrypt(password, text, draw(blockSize)),
  ),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
}
