// Reads times by a layout, as Go's time.ParseInLocation does.
import { quote } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'
import type { Instant } from '../value/value.ts'
import { instantAt } from './calendar.ts'
import { elements, isElement, isFraction, isOffset, months, weekdays } from './layout.ts'

type Read = Record<string, number | string>
type Reader = { readonly pattern: RegExp; readonly as: (text: string, read: Read) => void }

const number = (pattern: RegExp, field: string): Reader => ({
  pattern,
  as: (text, read) => {
    read[field] = Number(text)
  },
})

const nameOf = (names: readonly string[], field: string): Reader => ({
  pattern: new RegExp(`(?:${names.join('|')})`, 'iy'),
  as: (text, read) => {
    read[field] = names.findIndex(name => name.toLowerCase() === text.toLowerCase()) + 1
  },
})

const half: Reader = {
  pattern: /AM|PM/iy,
  as: (text, read) => {
    read.half = text.toUpperCase()
  },
}

const short = (names: readonly string[]): readonly string[] => names.map(name => name.slice(0, 3))

const readers: Readonly<Record<string, Reader>> = {
  January: nameOf(months, 'month'),
  Jan: nameOf(short(months), 'month'),
  Monday: nameOf(weekdays, 'weekday'),
  Mon: nameOf(short(weekdays), 'weekday'),
  MST: { pattern: /[A-Z]{3,5}|[+-]\d\d(?:\d\d)?/y, as: () => undefined },
  '2006': number(/\d{4}/y, 'year'),
  '06': {
    pattern: /\d\d/y,
    as: (text, read) => {
      read.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000)
    },
  },
  '01': number(/\d\d/y, 'month'),
  '1': number(/\d\d?/y, 'month'),
  '02': number(/\d\d/y, 'day'),
  _2: number(/ ?\d\d?/y, 'day'),
  '2': number(/\d\d?/y, 'day'),
  '002': number(/\d{3}/y, 'yearDay'),
  __2: number(/ {0,2}\d{1,3}/y, 'yearDay'),
  '15': number(/\d\d/y, 'hour'),
  '03': number(/\d\d/y, 'hour'),
  '3': number(/\d\d?/y, 'hour'),
  '04': number(/\d\d/y, 'minute'),
  '4': number(/\d\d?/y, 'minute'),
  '05': number(/\d\d(?:[.,]\d+)?/y, 'second'),
  '5': number(/\d\d?(?:[.,]\d+)?/y, 'second'),
  PM: half,
  pm: half,
}

const zoneReader: Reader = {
  pattern: /Z|[+-]\d\d:?(?:\d\d)?(?::?\d\d)?/y,
  as: (text, read) => {
    const digits = text.replaceAll(/[+\-:Z]/g, '').padEnd(4, '0')
    const isZero = /^0*$/.test(digits)
    read.zone = isZero ? 'UTC' : `${text[0]}${digits.slice(0, 2)}:${digits.slice(2, 4)}`
  },
}

/** Reads a fraction. The reader of seconds may already have read the fraction. */
const fractionReader: Reader = {
  pattern: /(?:[.,]\d+)?/y,
  as: (text, read) => {
    if (text !== '') read.fraction = `0.${text.slice(1)}`
  },
}

const readerOf = (piece: string): Reader | undefined => {
  if (isOffset(piece)) return zoneReader
  if (isFraction(piece)) return fractionReader
  return Object.hasOwn(readers, piece) ? readers[piece] : undefined
}

/** A time without a zone is in UTC. Throws a Failure. */
export const parseInstant = (layout: string, text: string): Instant => {
  const read: Read = {}
  let at = 0
  for (const piece of elements(layout)) {
    const reader = isElement(piece) ? readerOf(piece) : undefined
    const found = reader === undefined ? literal(piece, text, at) : match(reader.pattern, text, at)
    if (found === undefined) throw cannotParse(layout, text, { rest: text.slice(at), piece })
    reader?.as(found, read)
    at += found.length
  }
  if (at < text.length) throw new Failure(`parsing time ${quote(text)}: extra text: ${quote(text.slice(at))}`)
  return checked(read, text)
}

const literal = (piece: string, text: string, at: number): string | undefined =>
  text.startsWith(piece, at) ? piece : undefined

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const cannotParse = (layout: string, text: string, { rest, piece }: { rest: string; piece: string }): Failure =>
  new Failure(`parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(piece)}`)

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  month: [1, 12],
  day: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
  second: [0, 59.999999999],
}

const checked = (read: Read, text: string): Instant => {
  const value = (field: string, usual: number): number => Number(read[field] ?? usual)
  for (const [field, [least, most]] of Object.entries(ranges)) {
    const given = value(field, least)
    if (given < least || given > most) throw new Failure(`parsing time ${quote(text)}: ${field} out of range`)
  }
  const [year, month, day] = [value('year', 0), value('month', 1), value('day', value('yearDay', 1))]
  if (read.yearDay === undefined && day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) {
    throw new Failure(`parsing time ${quote(text)}: day out of range`)
  }
  const second = value('second', 0)
  const nanosecond = Math.round((value('fraction', 0) + (second % 1)) * 1e9)
  const hour = twelve(value('hour', 0), read.half)
  const clock = { year, month, day, hour, minute: value('minute', 0), second: Math.floor(second), nanosecond }
  return instantAt(clock, String(read.zone ?? 'UTC'))
}

const twelve = (hour: number, half: number | string | undefined): number => {
  if (half === undefined) return hour
  return (hour % 12) + (half === 'PM' ? 12 : 0)
}
