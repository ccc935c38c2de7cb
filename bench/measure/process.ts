// What another process costs, as Linux accounts for it. Megabytes are 10⁶ bytes.
import { readFileSync } from 'node:fs'

/** What the process holds in memory now, the pages of the Node binary included. */
export const residentMegabytes = (pid: number): number => statusField(pid, 'VmRSS')

/** The most it ever held. */
export const peakResidentMegabytes = (pid: number): number => statusField(pid, 'VmHWM')

const statusField = (pid: number, field: string): number => {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kibibytes === undefined) throw new Error(`process ${pid} has no ${field}`)
  return (Number(kibibytes) * 1024) / 1e6
}

const ticksPerSecond = 100

/** The time all its threads have computed since it began; noise of the machine lengthens it less than the time of day. */
export const cpuSeconds = (pid: number): number => ticks(pid, 11) / ticksPerSecond

/** What each program has computed between two counts. */
export const cpuSecondsSince = (before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(now).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]))

/** That of its children which have ended. */
export const endedChildrenCpuSeconds = (pid: number): number => ticks(pid, 13) / ticksPerSecond

/** User and system time, which are side by side. The second field is the name in brackets, which may hold spaces: counted behind it. */
const ticks = (pid: number, at: number): number => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[A-Z] )/)
  const [user, system] = fields
    .split(' ')
    .slice(at, at + 2)
    .map(Number)
  return (user ?? 0) + (system ?? 0)
}

/** The processes that it started and that are alive. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
