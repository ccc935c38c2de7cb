// Gives a measured program a processor of its own, so that it does not compete with its callers. Needs `taskset` of util-linux.
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const ownProcessor = '0'
const otherProcessors = `1-${availableParallelism() - 1}`

/** The benchmark and each program that it starts from now on leave the first processor to the measured programs. */
export const leaveOneProcessor = (): void => pin(process.pid, otherProcessors)

/** The measured program gets the first processor. */
export const giveOneProcessor = (pid: number): void => pin(pid, ownProcessor)

/** All threads of the process. */
const pin = (pid: number, processors: string): void => {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)], { stdio: 'ignore' })
}
