// Gives a measured program a processor of its own, so that it does not compete with its callers. Needs `taskset` of util-linux, and three processors:
// with two, callers, relay and API server would have to share the other one, and would be what is measured.
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const processors = availableParallelism()
export const hasProcessorsToGive = processors >= 3

const ownProcessor = '0'
const otherProcessors = `1-${processors - 1}`

/** The benchmark and each program that it starts from now on leave the first processor to the measured programs. */
export const leaveOneProcessor = (): void => {
  if (hasProcessorsToGive) pin(process.pid, otherProcessors)
}

/** The measured program gets the first processor. */
export const giveOneProcessor = (pid: number): void => {
  if (hasProcessorsToGive) pin(pid, ownProcessor)
}

/** All threads of the process. */
const pin = (pid: number, list: string): void => {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)], { stdio: 'ignore' })
}
