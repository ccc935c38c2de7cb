// One process per folder: a lock file names its process, and is ignored when this process has ended. A process number is not enough,
// because number 1 is another process after a restart of the container.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/** `life` distinguishes processes with the same number; undefined if the system does not provide this information. */
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
