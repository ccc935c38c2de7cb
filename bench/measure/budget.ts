// A budget of CPU time for a set of processes: a control group of Linux, version 1 or 2. The benchmark must run as root.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const periodMicroseconds = 100_000

type Version = { readonly root: string; setQuota(folder: string, microseconds: number): void }

const first: Version = {
  root: '/sys/fs/cgroup/cpu',
  setQuota: (folder, microseconds) => {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds))
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(microseconds))
  },
}

const second: Version = {
  root: '/sys/fs/cgroup',
  setQuota: (folder, microseconds) => writeFileSync(join(folder, 'cpu.max'), `${microseconds} ${periodMicroseconds}`),
}

export type Budget = { release(): void }

/** Together the processes get so much of one core. Call `release` when they have ended. */
export const cpuBudget = (name: string, pids: readonly number[], cores: number): Budget => {
  const { root, setQuota } = existsSync('/sys/fs/cgroup/cgroup.controllers') ? second : first
  const folder = join(root, `espalier-bench-${process.pid}-${name}`)
  mkdirSync(folder)
  setQuota(folder, Math.round(cores * periodMicroseconds))
  for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid))
  return { release: () => rmdirSync(folder) }
}
