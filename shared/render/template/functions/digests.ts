// Digests, ciphers, passwords, and functions that use random bytes in Go. Here, `draw` returns the bytes, which are the same in each rendering
// of a revision.
import { createCipheriv, createDecipheriv, createHash, createHmac, scryptSync } from 'node:crypto'
import { encodeBase64, hashSync } from 'bcryptjs'
import { Failure } from '../run/environment.ts'
import { byteLength, bytesOf, textOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import type { Call, TemplateFunction } from '../value/value.ts'
import { bytesFromBase64 } from './strings.ts'

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

/** The first 32 bytes of the password, padded with zeros. */
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

const rounds = 10
const longest = 72

const bcrypt = ({ draw }: Call, password: string): string => {
  if (byteLength(password) > longest) {
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes'
  }
  const salt = encodeBase64(Array.from(draw(16)), 16)
  return hashSync(password, `$2a$${rounds}$${salt}`)
}

const seedName = 'com.lyndir.masterpassword'

const shapes: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    ...['CvcvnoCvcvCvcv', 'CvcvCvcvnoCvcv', 'CvcvCvcvCvcvno', 'CvccnoCvcvCvcv', 'CvccCvcvnoCvcv', 'CvccCvcvCvcvno'],
    ...['CvcvnoCvccCvcv', 'CvcvCvccnoCvcv', 'CvcvCvccCvcvno', 'CvcvnoCvcvCvcc', 'CvcvCvcvnoCvcc', 'CvcvCvcvCvccno'],
    ...['CvccnoCvccCvcv', 'CvccCvccnoCvcv', 'CvccCvccCvcvno', 'CvcvnoCvccCvcc', 'CvcvCvccnoCvcc', 'CvcvCvccCvccno'],
    ...['CvccnoCvcvCvcc', 'CvccCvcvnoCvcc', 'CvccCvcvCvccno'],
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
}

const signs: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
}

const uint32 = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const sized = (text: string): Uint8Array => Buffer.concat([uint32(byteLength(text)), bytesOf(text)])

type Site = {
  readonly counter: number
  readonly type: string
  readonly password: string
  readonly user: string
  readonly site: string
}

const derived = ({ counter, type, password, user, site }: Site): string => {
  const forms = Object.hasOwn(shapes, type) ? (shapes[type] ?? []) : []
  if (forms.length === 0) return `cannot find password template ${type}`
  const salt = Buffer.concat([Buffer.from(seedName), sized(user)])
  const key = scryptSync(bytesOf(password), salt, 64, { N: 32768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 })
  const message = Buffer.concat([Buffer.from(seedName), sized(site), uint32(counter)])
  const seed = createHmac('sha256', key).update(message).digest()
  const shape = forms[(seed[0] ?? 0) % forms.length] ?? ''
  return Array.from(shape, (letter, index) => {
    const choice = signs[letter] ?? ''
    return choice[(seed[index + 1] ?? 0) % choice.length]
  }).join('')
}

export const passwords: FunctionTable = {
  bcrypt: within('string', bcrypt),
  derivePassword: fn('uint32 string string string string', (counter, type, password, user, site) =>
    derived({ counter, type, password, user, site }),
  ),
  htpasswd: within('string string', (call, user, password) =>
    user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(call, password)}`,
  ),
}

const digits = '0123456789'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const bytesPerChoice = 6

/** Numbers below `most`. Each number is made of so many bytes that all numbers are almost equally likely. */
const choices = ({ budget, draw }: Call, count: number, most: number): number[] => {
  budget.list(count)
  const bytes = Buffer.from(draw(count * bytesPerChoice))
  return Array.from({ length: count }, (_, index) => bytes.readUIntBE(index * bytesPerChoice, bytesPerChoice) % most)
}

const textOfSigns = (signs: string): TemplateFunction =>
  within('int', (call, count) =>
    choices(call, Math.max(count, 0), signs.length)
      .map(index => signs[index] ?? '')
      .join(''),
  )

const uuid = (drawn: Uint8Array): string => {
  const bytes = Buffer.from(drawn)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const shuffled = (call: Call, text: string): string => {
  const runes = [...text]
  const order = choices(call, runes.length, 2 ** 40)
  for (let last = runes.length - 1; last > 0; last -= 1) {
    const other = (order[last] ?? 0) % (last + 1)
    const [a = '', b = ''] = [runes[last], runes[other]]
    runes[last] = b
    runes[other] = a
  }
  return runes.join('')
}

export const random: FunctionTable = {
  randAlpha: textOfSigns(letters),
  randAlphaNum: textOfSigns(letters + digits),
  randAscii: textOfSigns(ascii),
  randBytes: within('int', ({ budget, draw }, count) => {
    if (count < 0) throw new Failure('runtime error: makeslice: len out of range')
    budget.fits(count * 2)
    return Buffer.from(draw(count)).toString('base64')
  }),
  randInt: within('int int', (call, least, most) => {
    if (most <= least) throw new Failure('invalid argument to Intn')
    const [choice = 0] = choices(call, 1, most - least)
    return BigInt(choice + least)
  }),
  randNumeric: textOfSigns(digits),
  shuffle: within('string', shuffled),
  uuidv4: within('', ({ draw }) => uuid(draw(16))),
}
