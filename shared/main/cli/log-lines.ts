// Selects the log lines about an object, and formats them for users. Pure.
import { isMap, isText, type JsonMap, mapOrEmpty, shownText } from '../../core/json/json.ts'
import { wrapped } from '../start/terminal.ts'

export type LogLine = JsonMap & { readonly pod: string; readonly time: string }

/** The requested object. `functions`: the functions that are called for its kind. */
type About = { readonly key: string; readonly functions: readonly string[] }

/** The JSON lines of a log. Other lines, for example of a crash, are omitted. */
export const logLinesIn = (text: string, pod: string): LogLine[] =>
  text.split('\n').flatMap(line => {
    const fields = parsed(line)
    return isText(fields?.time) ? [{ ...fields, pod, time: fields.time }] : []
  })

const parsed = (line: string): JsonMap | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Lines that name the object, and all other lines of the same traces, which may come from other functions and Pods. Oldest first. */
export const linesAbout = (lines: readonly LogLine[], about: About): LogLine[] => {
  const named = new Set(lines.filter(line => isAbout(line, about)))
  const traces = new Set([...named].flatMap(({ trace }) => (isText(trace) ? [trace] : [])))
  return lines
    .filter(line => named.has(line) || (isText(line.trace) && traces.has(line.trace)))
    .sort((one, other) => one.time.localeCompare(other.time))
}

/** A host writes the key into `object`, a relay into `key`. */
const isAbout = (line: LogLine, { key, functions }: About): boolean =>
  [line.object, line.key].includes(key) && functions.includes(shownText(line.function))

/** Fields that are shown elsewhere in the line, or that users do not need. */
const apart = new Set(['time', 'level', 'pod', 'function', 'object', 'key', 'trace', 'msg', 'err', 'requestId'])

/** `08:00:03 warn  component (host-a, trace 1a2b3c4d): call failed; isOverdue true` */
export const logText = (line: LogLine, columns: number): string => {
  const { time, level, function: name, pod, trace, msg, err } = line
  const place = [pod, ...(isText(trace) ? [`trace ${trace.slice(0, 8)}`] : [])].join(', ')
  const facts = Object.entries(line).flatMap(([field, value]) =>
    apart.has(field) ? [] : [`${field} ${isText(value) ? value : JSON.stringify(value)}`],
  )
  const { message } = mapOrEmpty(err)
  const says = [shownText(msg), ...(message === undefined ? [] : [shownText(message)]), ...facts].join('; ')
  const head = `${time.slice(11, 19)} ${shownText(level).padEnd(5)} ${name === undefined ? '' : `${shownText(name)} `}(${place})`
  return wrapped(`${head}: ${says}`, 9, columns)
}
