// The folder of one `npm start`: its kubeconfigs, its log, and the lock that prevents a second `npm start`.
import { closeSync, fchmodSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import pino from 'pino'
import { errorText } from '../../core/text/error-text.ts'
import { takeFolder } from '../../embedded/data/open.ts'
import { type HostLog, hostLog } from '../../http/telemetry/log.ts'

/** Locks the folder until this process ends. Throws if another process has locked it, or if the folder is not writable. */
export const takeStateFolder = (state: string): void =>
  used('--state', state, () => {
    const lock = join(state, 'start.lock')
    makeFolder(join(state, 'logs'))
    process.once(
      'exit',
      takeFolder(lock, pid => runsAlready(state, `process ${pid}, as ${lock} says`)),
    )
  })

/** Creates the folders for the state of embedded clusters. Throws if a folder is not writable. */
export const makeDataFolder = (data: string): void =>
  used('--data', data, () => {
    for (const cluster of dataFolders) makeFolder(join(data, cluster), 0o700)
  })

/** One folder for each embedded cluster. */
const dataFolders = ['control-plane', 'runtime'] as const
export type DataFolder = (typeof dataFolders)[number]

const used = (flag: string, folder: string, use: () => void): void => {
  try {
    use()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const reason = reasons[String(error.code)] ?? errorText(error)
    throw new Error(`the folder ${folder} of ${flag} cannot be used: ${reason}`)
  }
}

const runsAlready = (state: string, by: string): string =>
  `npm start is already running with the folder ${state} (${by}): stop it with Ctrl-C, or set another folder with --state`

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  ENOENT: 'no folder can be created there',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
}

/** Creates one level after the other, because Node's recursive mkdir never returns below /proc. */
const makeFolder = (path: string, mode?: number): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(resolve(path)), mode)
  mkdirSync(path, { mode })
}

type LogReader = {
  /** The log cannot be written, for example because the disk is full. Called once, and the process continues. */
  failed(message: string): void
  /** A function threw an unexpected error. Called once for each text. */
  threw(message: string): void
}

export const stateLog = (file: string, { failed, threw }: LogReader): HostLog => {
  const shown = new Set<string>()
  const destination = pino.destination({ dest: file, sync: true })
  destination.once('error', error => failed(`the log ${file} cannot be written: ${errorText(error)}`))
  destination.on('error', () => undefined)
  const write = (line: string): void => {
    destination.write(line)
    const fault = line.includes('"code":"internal"') ? thrown(line) : undefined
    if (fault === undefined || shown.has(fault)) return
    shown.add(fault)
    threw(fault)
  }
  return hostLog('info', { write })
}

/** `website default/sample: x is not a function, at decide (file:///…/decide.ts:7:3)` */
const thrown = (line: string): string | undefined => {
  const { function: name, object = '', err } = JSON.parse(line)
  const [, place = ''] = /^ +(at .*\/functions\/.*)$/m.exec(err?.stack ?? '') ?? []
  return err && `${name} ${object}: ${[err.message, place].filter(Boolean).join(', ')}`
}

/** Replaces the content. Other users of this machine must not read the file, so a readable file is made private before the first byte. */
export const writePrivateFile = (path: string, text: string): void => {
  const file = openSync(path, 'w', privateMode)
  try {
    fchmodSync(file, privateMode)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** The mode of private files. `open` sets it only for new files. */
const privateMode = 0o600

/**
 * A file for shells to source: kubectl and `espalier` then use this kubeconfig. `flags` of the host, such as `--chart-root=…`, become variables, so
 * that `espalier plan` decides like the host.
 */
export const environmentText = (kubeconfig: string, flags: readonly string[] = []): string =>
  [`--kubeconfig=${resolve(kubeconfig)}`, ...flags].map(exported).join('')

const exported = (flag: string): string => {
  const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(flag) ?? []
  const variable = name.replaceAll('-', '_').toUpperCase()
  return `export ${name === 'kubeconfig' ? '' : 'ESPALIER_'}${variable}='${value.replaceAll("'", `'\\''`)}'\n`
}
