// `npm run bench:npm-start [-- --rounds 3]`: how long `npm start` takes until its samples are ready, and what it holds then.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startLifelined } from '../tests/harness/processes/bound-processes.ts'
import { median } from './measure/load.ts'
import { cpuSeconds, peakResidentMegabytes } from './measure/process.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)
const root = join(import.meta.dirname, '..')

const about = `The command of \`npm start\` with \`--port 0\` and an empty state folder: two API servers, host, relay, the stand-ins and all samples in one
process. Seconds are from the start of the process: until the result, which tells that all but the Garden are ready, and until the Garden is, too. Memory is the most that the process has held, without the renderers beside it; CPU is what it has computed until then. Medians of
${rounds} rounds. Bare is \`npm start -- --functions component --samples component\` in turns with it: the same programs with one function.`

type Started = { readonly ready: number; readonly all: number; readonly megabytes: number; readonly cpu: number }

const [, ...command] = String(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start).split(' ')

/** The last line says that all is ready; with one function the result says so already. */
const started = async (flags: readonly string[]): Promise<Started> => {
  const state = mkdtempSync(join(tmpdir(), 'espalier-bench-start-'))
  const began = performance.now()
  const seconds = (): number => (performance.now() - began) / 1_000
  const process_ = startLifelined({
    program: process.execPath,
    args: [...command, '--json', '--port', '0', '--state', state, ...flags],
    env: { ...process.env, NODE_COMPILE_CACHE: undefined },
    folder: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid, child, end } = process_
  if (!child.stdout) throw new Error('npm start has no output')
  let ready = Number.NaN
  for await (const line of createInterface({ input: child.stdout })) {
    const { open, what } = JSON.parse(line)
    if (open) ready = seconds()
    if (what !== 'ready' && !(open && open.length === 0)) continue
    const found = { ready, all: seconds(), megabytes: peakResidentMegabytes(pid), cpu: cpuSeconds(pid) }
    await end('SIGTERM', 30)
    rmSync(state, { recursive: true, force: true })
    return found
  }
  throw new Error(`npm start ended with ${await process_.ended}`)
}

const one = { name: 'npm start, component alone', flags: ['--functions', 'component', '--samples', 'component'] }
const contenders = [{ name: 'npm start', flags: [] }, one]

const found = new Map<string, Started[]>(contenders.map(({ name }) => [name, []]))
for (let round = 1; round <= rounds; round++)
  for (const { name, flags } of contenders) {
    progress(`${name}, round ${round} of ${rounds}`)
    found.get(name)?.push(await started(flags))
  }

const medianOf = (name: string): Started => {
  const all = found.get(name) ?? []
  const of = (field: keyof Started): number => median(all.map(one => one[field]))
  return { ready: of('ready'), all: of('all'), megabytes: of('megabytes'), cpu: of('cpu') }
}

const bare = medianOf(one.name)
const rows = contenders.map(({ name }): Row => {
  const { ready, all, megabytes, cpu } = medianOf(name)
  return {
    started: name,
    's to the result': ready,
    's until all is ready': all,
    'MB at most': megabytes,
    'CPU s': cpu,
    'CPU to bare': ratio(cpu, bare.cpu),
  }
})
const whole = medianOf('npm start')
const goals: Goal[] = [
  {
    asks: 'FN-01 all but the Garden within 60 s, and the Garden too',
    found: `${figures(whole.ready)} s, ${figures(whole.all)} s`,
    isMet: whole.all <= 60,
  },
  { asks: 'ready in 12 s', found: `${figures(whole.ready)} s`, isMet: whole.ready <= 12 },
  { asks: 'at most 250 MB', found: `${figures(whole.megabytes)} MB`, isMet: whole.megabytes <= 250 },
]
print({ title: 'npm start', about, tables: [rows], goals })
