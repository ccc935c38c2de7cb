// Template functions that use random bytes in Go. Here, `draw` returns the bytes, which are the same in each rendering of a revision.
import { Failure } from '../run/failure.ts'
import { type FunctionTable, within } from '../value/signature.ts'
import type { Call, TemplateFunction } from '../value/value.ts'

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

const textOf = (signs: string): TemplateFunction =>
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
  randAlpha: textOf(letters),
  randAlphaNum: textOf(letters + digits),
  randAscii: textOf(ascii),
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
  randNumeric: textOf(digits),
  shuffle: within('string', shuffled),
  uuidv4: within('', ({ draw }) => uuid(draw(16))),
}
