// `npm run bench:start`: how long a host takes from the start of its process to its first answer, and what it holds when
// idle; beside it bare servers, started in turns with it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { newAuthority } from '../tests/harness/clients/certificates.ts'
import { type LifelinedProcess, startLifelined } from '../tests/harness/processes/bound-processes.ts'
import { freePorts } from '../tests/harness/processes/ports.ts'
import { median } from './measure/load.ts'
import { residentMegabytes } from './measure/process.ts'
import { buildProduct, firstAnswer, startProduct } from './measure/product.ts'
import { mountedServiceAccount, onRealCluster, type RealCluster } from './measure/real-cluster.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'

const runs = 10
const idleSeconds = 1

const about = `From the start of the process to the first 200 of \`/livez\`, medians of ${runs} runs in turns, and the memory held ${idleSeconds} s later.
Hosts have a service account mounted and a real API server to ask; one function alone serves with TLS from files, all together
keep their certificate in a Secret, as in \`manifests/\`. Hosts are what \`npm run build\` makes unless sources are named.
What is TypeScript, the bare servers too, has a warm cache: a folder that \`NODE_COMPILE_CACHE\` names and an earlier run has
filled.`

type Environment = Readonly<Record<string, string>>
type Start = (port: number, environment: Environment) => LifelinedProcess
type Contender = { readonly name: string; readonly environment: Environment; readonly start: Start }
type Measured = { readonly milliseconds: number; readonly megabytes: number }

const one = 'host, one function'

const contenders = async (cluster: RealCluster): Promise<Contender[]> => {
  const pod = {
    cluster,
    mounted: await mountedServiceAccount(cluster, 'host'),
    tls: await certificateFiles(cluster.dir),
  }
  const alone = ['--functions=garden-reference', '--tls=files']
  const warm = { NODE_COMPILE_CACHE: join(cluster.dir, 'compile-cache') }
  return [
    { name: one, environment: {}, start: hostStart(pod, alone) },
    { name: 'host, all functions', environment: {}, start: hostStart(pod, []) },
    {
      name: 'host, one function, from its sources',
      environment: warm,
      start: hostStart({ ...pod, from: 'sources' }, alone),
    },
    { name: 'bare Fastify', environment: warm, start: bareStart('bare-fastify.ts') },
    { name: 'bare node:http', environment: warm, start: bareStart('bare-http.ts') },
  ]
}

type Pod = { cluster: RealCluster; mounted: string; tls: string; from?: 'sources' }

const hostStart = ({ cluster: { url, dir }, mounted, tls, from }: Pod, flags: readonly string[]): Start => {
  const listens = ['--listen=127.0.0.1:0', '--functions-tls=on', '--webhooks-listen=127.0.0.1:0']
  const all = [...listens, `--tls-directory=${tls}`, '--drain-seconds=0', ...flags]
  return (port, environment) => {
    const probes = `--probes-listen=127.0.0.1:${port}`
    return startProduct({ program: 'host', from, flags: [...all, probes], environment, apiServer: url, mounted, dir })
  }
}

const certificateFiles = async (dir: string): Promise<string> => {
  const { certificate, key } = await (await newAuthority('bench')).serving({ dns: ['host'] })
  const files = join(dir, 'tls')
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, 'tls.crt'), certificate)
  writeFileSync(join(files, 'tls.key'), key)
  return files
}

const bareStart =
  (program: string): Start =>
  (port, environment) =>
    startLifelined({
      program: process.execPath,
      args: [join(import.meta.dirname, 'programs', program), String(port)],
      env: { PATH: process.env.PATH, ...environment },
    })

const measured = async ({ start, environment }: Contender): Promise<Measured> => {
  const [port = 0] = await freePorts(1)
  const began = performance.now()
  const started = start(port, environment)
  await firstAnswer(`http://127.0.0.1:${port}/livez`, started)
  const milliseconds = performance.now() - began
  await wait(idleSeconds * 1000)
  const megabytes = residentMegabytes(started.pid)
  await started.end('SIGTERM')
  return { milliseconds, megabytes }
}

const run = async (cluster: RealCluster): Promise<void> => {
  await buildProduct()
  const all = await contenders(cluster)
  progress('filling the caches')
  for (const contender of all) await measured(contender)
  const found = new Map<Contender, Measured[]>(all.map(contender => [contender, []]))
  for (let round = 1; round <= runs; round++) {
    progress(`run ${round} of ${runs}`)
    for (const [contender, results] of found) results.push(await measured(contender))
  }
  const rows = [...found].map(([{ name }, results]) => rowOf(name, results))
  const beside = rows.at(-2)?.milliseconds ?? Number.NaN
  const table = rows.map(row => ({ ...row.cells, 'to bare Fastify': ratio(row.milliseconds, beside) }))
  print({ title: 'Start', about, tables: [table], goals: rows.filter(({ name }) => name === one).map(goalFor) })
}

type Summary = { name: string; milliseconds: number; megabytes: number; cells: Row }

const rowOf = (name: string, results: readonly Measured[]): Summary => {
  const times = results.map(({ milliseconds }) => milliseconds)
  const [milliseconds, megabytes] = [median(times), median(results.map(({ megabytes }) => megabytes))]
  const cells = {
    started: name,
    'ms to the first answer': milliseconds,
    'fastest ms': Math.min(...times),
    'slowest ms': Math.max(...times),
    'RSS idle MB': megabytes,
  }
  return { name, milliseconds, megabytes, cells }
}

const goalFor = ({ milliseconds, megabytes }: Summary): Goal => ({
  asks: 'FN-13 one function: listens within 400 ms, at most 90 MB idle',
  found: `${figures(milliseconds)} ms, ${figures(megabytes)} MB`,
  isMet: milliseconds <= 400 && megabytes <= 90,
})

await onRealCluster(run)
