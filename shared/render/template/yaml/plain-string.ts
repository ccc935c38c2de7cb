// Whether a string can be written without quotes: not if a reader would take it for something else.
import { plainScalar } from '../../../core/yaml/plain-scalar.ts'
import { Failure } from '../run/failure.ts'
import { parseInstant } from '../time/parse.ts'

const dated = /^\d{4}-\d/
const layouts: readonly string[] = [
  '2006-1-2T15:4:5.999999999Z07:00',
  '2006-1-2t15:4:5.999999999Z07:00',
  '2006-1-2 15:4:5.999999999',
  '2006-1-2',
]

const isTimestamp = (text: string): boolean => dated.test(text) && layouts.some(layout => isOf(layout, text))

const isOf = (layout: string, text: string): boolean => {
  try {
    parseInstant(layout, text)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** Whether a string can stand unquoted without being taken for something else, now or by older readers. */
export const isPlainString = (text: string): boolean =>
  plainScalar(text) === text && !isTimestamp(text) && !sexagesimal.test(text)
