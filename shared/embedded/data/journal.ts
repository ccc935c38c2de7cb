// The write-ahead log. Every change is written as a line into the log before the change is made. When the log is large, a snapshot of all
// objects is written, and the log starts again. A change reaches the operating system before the request is answered, so the change
// survives the end of the process. The log is flushed to the disk every second and at stop, so a loss of power loses the last second.
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync } from 'node:fs'
import type { KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { StatusError } from '../status.ts'
import type { Change } from '../storage/store.ts'
import { contentOf, lineOf, recordsIn, replaceFile, writeWhole } from './files.ts'

type Entry = { readonly collection: string; readonly key: string; readonly object: KubeObject }

export type State = { readonly revision: number; readonly entries: readonly Entry[] }

type Head = { readonly format: 1; readonly revision: number; readonly count: number }
type Logged = Omit<Entry, 'object'> & { readonly revision: number; readonly object?: KubeObject }

type JournalPaths = { readonly log: string; readonly snapshot: string }

/** Reads snapshot and log. Cuts an unfinished last line off the log. */
export const readState = ({ log, snapshot }: JournalPaths): State => {
  const start = readSnapshot(snapshot)
  const bytes = contentOf(log) ?? Buffer.alloc(0)
  const { records, wholeBytes } = recordsIn(bytes, log)
  if (wholeBytes < bytes.length) cut(log, wholeBytes)
  const entries = new Map(start.entries.map(entry => [`${entry.collection} ${entry.key}`, entry]))
  let { revision } = start
  for (const { collection, key, object, ...logged } of records as Logged[]) {
    if (logged.revision <= start.revision) continue
    revision = logged.revision
    if (object) entries.set(`${collection} ${key}`, { collection, key, object })
    else entries.delete(`${collection} ${key}`)
  }
  return { revision, entries: [...entries.values()] }
}

const readSnapshot = (path: string): State => {
  const bytes = contentOf(path)
  if (!bytes) return { revision: 0, entries: [] }
  const [head, ...entries] = recordsIn(bytes, path).records
  const { format, revision, count } = (head ?? {}) as Partial<Head>
  if (format !== 1 || revision === undefined) throw new Error(`${path} is not a snapshot that this version can read`)
  if (entries.length !== count) throw new Error(`${path} is damaged: it contains ${entries.length} of ${count} objects`)
  return { revision, entries: entries as Entry[] }
}

const cut = (path: string, length: number): void => {
  const file = openSync(path, 'r+')
  ftruncateSync(file, length)
  closeSync(file)
}

const flushMilliseconds = 1000
const closed = -1

type JournalOptions = JournalPaths & {
  readonly compactBytes: number
  /** Appends to the log. Tests replace it to simulate a full disk. */
  readonly write?: (file: number, bytes: Buffer) => void
  readonly state: () => State
}

export class Journal {
  readonly #options: JournalOptions
  #file: number
  #size: number
  #compactAt: number
  #isFlushed = true
  readonly #timer: NodeJS.Timeout

  constructor(options: JournalOptions) {
    this.#options = options
    this.#file = openSync(options.log, 'a', 0o600)
    this.#size = fstatSync(this.#file).size
    this.#compactAt = options.compactBytes
    this.#timer = setInterval(() => this.#flush(), flushMilliseconds).unref()
  }

  /** Throws if writing fails, and leaves the log unchanged. */
  add({ type, collection, key, revision, stored }: Change): void {
    if (this.#file === closed) throw new Error('the data folder is closed')
    if (this.#size >= this.#compactAt) this.#tryCompact()
    const logged: Logged = { revision, collection, key, ...(type !== 'DELETED' && { object: stored.object }) }
    const bytes = Buffer.from(lineOf(logged))
    try {
      const { write = writeWhole } = this.#options
      write(this.#file, bytes)
    } catch (error) {
      ftruncateSync(this.#file, this.#size)
      throw refused(this.#options.log, error)
    }
    this.#size += bytes.length
    this.#isFlushed = false
  }

  /** If the disk has no room for a snapshot, the log continues to grow. The next attempt waits until the log has grown by a quarter. */
  #tryCompact(): void {
    try {
      this.compact()
    } catch (error) {
      this.#compactAt = this.#size + this.#options.compactBytes / 4
      process.emitWarning(
        `embedded cluster: no snapshot could be written, so ${this.#options.log} keeps growing: ${errorText(error)}`,
      )
    }
  }

  /** Writes a snapshot and an empty log. If the process is killed between both, the next start skips the older lines of the log. */
  compact(): void {
    const { log, snapshot, state } = this.#options
    replaceFile(snapshot, snapshotLines(state()))
    replaceFile(log, [])
    closeSync(this.#file)
    this.#file = openSync(log, 'a')
    this.#size = 0
    this.#compactAt = this.#options.compactBytes
    this.#isFlushed = true
  }

  close(): void {
    clearInterval(this.#timer)
    fdatasyncSync(this.#file)
    closeSync(this.#file)
    this.#file = closed
  }

  #flush(): void {
    if (this.#isFlushed) return
    this.#isFlushed = true
    const file = this.#file
    fdatasync(file, error => {
      if (error && file === this.#file)
        process.emitWarning(`embedded cluster: ${this.#options.log} could not be flushed to disk: ${error.message}`)
    })
  }
}

const full: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

const refused = (log: string, error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!full.includes(code)) return error
  const why = `the disk that holds ${log} is full (${code}), so the change was not stored`
  return new StatusError(507, 'InsufficientStorage', `${why}. Free space on this disk and send the request again.`)
}

function* snapshotLines({ revision, entries }: State): Generator<string> {
  const head: Head = { format: 1, revision, count: entries.length }
  yield lineOf(head)
  for (const entry of entries) yield lineOf(entry)
}
