// Reads the CPU time of another process: from /proc on Linux, by `ps` on macOS.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** undefined for a missing process, and on other systems. */
export const computedSeconds = async (
  pid: number | undefined,
  platform: string = process.platform,
): Promise<number | undefined> => {
  try {
    if (platform === 'linux') return secondsInStat(await readFile(`/proc/${pid}/stat`, 'utf8'))
    const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)])
    return secondsInTime(stdout)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** `utime` and `stime` are fields 14 and 15, in 1/100 s. The second field is a name in parentheses. */
const secondsInStat = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** `0:01.52` on macOS, `01:02:03` elsewhere. */
const secondsInTime = (time: string): number =>
  time
    .trim()
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0)
