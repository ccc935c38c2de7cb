// Passwords: bcrypt with a drawn salt, and the Master Password algorithm.
import { createHmac, scryptSync } from 'node:crypto'
import { encodeBase64, hashSync } from 'bcryptjs'
import { byteLength, bytesOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import type { Call } from '../value/value.ts'

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

/** Per type of password, the shapes it may take. */
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

/** What each letter of a shape stands for. */
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
