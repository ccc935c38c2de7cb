// A data folder contains the identity, the state and every later change of a cluster. The identity (authority, key of tokens,
// administrator's token, last port) has a separate file. One process uses a folder: a lock file names its process, and is ignored when this
// process has ended.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../identity/authority.ts'
import type { Store } from '../storage/store.ts'
import { contentOf, replaceFile } from './files.ts'
import { Journal, readState, type State } from './journal.ts'

export type DataFolder = {
  readonly identity: Identity | undefined
  readonly state: State
  remember(identity: Identity): void
  follow(store: Store): void
  close(): void
}

const defaultCompactBytes = 16 * 1024 * 1024

export const openData = (folder: string, compactBytes = defaultCompactBytes): DataFolder => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, 'lock')
  const giveBack = takeFolder(
    lock,
    pid =>
      `another process uses the data folder ${folder}: process ${pid}, named in ${lock}. Stop it or choose another folder.`,
  )
  const paths = { log: join(folder, 'log.ndjson'), snapshot: join(folder, 'snapshot.ndjson') }
  const identityPath = join(folder, 'identity.json')
  try {
    let journal: Journal | undefined
    const saved = contentOf(identityPath)
    return {
      identity: saved && (JSON.parse(saved.toString()) as Identity),
      state: readState(paths),
      remember: identity => replaceFile(identityPath, [`${JSON.stringify(identity, undefined, 2)}\n`]),
      follow: store => {
        journal = new Journal({ ...paths, compactBytes, state: () => stateOf(store) })
        const open = journal
        store.keepJournal(change => open.add(change))
      },
      close: () => {
        journal?.close()
        giveBack()
      },
    }
  } catch (error) {
    giveBack()
    throw error
  }
}

const stateOf = (store: Store): State => ({
  revision: store.revision,
  entries: store.collectionNames().flatMap(collection => {
    const now = store.now(collection)
    return now.keys('').flatMap(key => {
      const object = now.get(key)?.object
      return object ? [{ collection, key, object }] : []
    })
  }),
})

export type Identity = {
  readonly authority: Credentials
  readonly tokenKey: string
  readonly adminToken: string
  readonly port: number
}

/**
 * `life` distinguishes processes with the same number, because number 1 is another process after a restart of the container; undefined if
 * the system does not provide this information.
 */
type Holder = { readonly pid: number; readonly life: string | undefined }

/** Locks the folder and returns a function that releases it. Throws an error with the text `taken` if another process has the folder. */
export const takeFolder = (path: string, taken: (pid: number) => string): (() => void) => {
  if (!isTaken(path)) rmSync(path, { force: true })
  try {
    writeFileSync(path, [process.pid, lifeOf(process.pid)].join(' '), { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new Error(taken(holderOf(path).pid))
  }
  return () => rmSync(path, { force: true })
}

const holderOf = (path: string): Holder => {
  const [pid, life] = (textOf(path) ?? '').trim().split(' ')
  return { pid: Number(pid), life }
}

const isTaken = (path: string): boolean => {
  const { pid, life } = holderOf(path)
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) && life === lifeOf(pid)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** The boot of the machine and the start of the process. Only Linux provides these. */
const lifeOf = (pid: number): string | undefined => {
  const boot = textOf('/proc/sys/kernel/random/boot_id')
  const stat = textOf(`/proc/${pid}/stat`)
  // The second field is the process name, in parentheses, and may contain blanks. The start is the 22nd field.
  const began = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return boot && began ? `${boot.trim()}/${began}` : undefined
}

/** undefined if the file does not exist, or its process has ended. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
