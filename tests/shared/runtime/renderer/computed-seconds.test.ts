// The CPU time of another process, as Linux and macOS tell it.
import t from 'tap'
import { computedSeconds } from '../../../../shared/runtime/renderer/computed-seconds.ts'

for (const platform of [process.platform, 'darwin'])
  t.test(`RE-90 the CPU time of a process as ${platform} tells it, unknown when there is no such process`, async t => {
    const { user, system } = process.cpuUsage()
    const told = (await computedSeconds(process.pid, platform)) ?? 0
    t.ok(Math.abs(told - (user + system) / 1e6) <= 1.5, `${told} s`)
    t.equal(await computedSeconds(2 ** 22 + 1, platform), undefined)
  })
