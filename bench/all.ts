// `npm run bench [-- NAMES]`: runs all benchmarks, or those that are named, one after the other, and puts what they print
// into RESULTS.md. Sections of benchmarks that were not run stay as they are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { progress } from './measure/report.ts'

/** In the order of their sections, whose titles the benchmarks give. */
const benchmarks = {
  start: 'Start',
  'npm-start': 'npm start',
  admission: 'Admission',
  'admission-beside-rendering': 'Admission beside a rendering',
  'garden-admission': 'Admission of Gardens',
  'garden-network-policy': 'Network policies',
  garden: 'Gardens',
  component: 'Components',
  'many-components': 'Many Components',
  replicas: 'Replicas',
  soak: 'Soak',
  'component-neighbours': 'Neighbours of Components that wait',
  istio: 'Istio',
  render: 'Rendering',
  relay: 'Relay',
  'hostile-remote': 'A hostile cluster among others',
  kyma: 'Kymas',
  'kyma-neighbours': 'Neighbours of a runtime in trouble',
  callbacks: 'Callbacks',
  'istio-restarts': 'Restarts of sidecars',
  client: 'Client',
  embedded: 'Embedded cluster',
  console: 'Console',
} as const

type Name = keyof typeof benchmarks

const names = Object.keys(benchmarks) as Name[]
const resultsFile = join(import.meta.dirname, 'RESULTS.md')

const head = `# Results

Written by \`npm run bench\`, which takes about an hour; each section has a command of its own that runs it alone. The
real API server and the Gardener operator's webhooks are built once per machine, which takes as long again (see CONTRIBUTING.md).

What to make of the figures: everything runs on the same few cores, the callers, the API server and etcd included, so absolute
figures say more about the machine than about Espalier. Each section therefore measures something bare beside it, in turns
of seconds within the same minutes, and gives the ratio. On a shared machine ratios of throughput and of CPU time repeat within some
20 %; a p99 does not, for a neighbour's burst goes straight into it: compare it with the p99 beside it, and look at the
load that the machine had before.`

const run = async (name: Name): Promise<string> => {
  progress(`# ${name}`)
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: `bench:${name}` },
  })
  const [section, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  process.stdout.write(`${section}\n`)
  return section.trim()
}

/** The results of `npm run test:parts` and `npm run test:node`, written by hand. */
const byHand = ['Beside programs of others', 'On a real node']

/** By title. */
const sectionsIn = (results: string): Map<string, string> =>
  new Map(
    results
      .split(/^(?=## )/m)
      .slice(1)
      .map(section => [section.slice(3, section.indexOf('\n')), section.trim()]),
  )

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !names.some(known => known === name))
if (unknown.length > 0) throw new Error(`there is no benchmark ${unknown.join(', ')}, only ${names.join(', ')}`)

const sections = existsSync(resultsFile) ? sectionsIn(readFileSync(resultsFile, 'utf8')) : new Map<string, string>()
for (const name of names.filter(name => asked.length === 0 || asked.includes(name))) {
  sections.set(benchmarks[name], await run(name))
  const titles = [...names.map(each => benchmarks[each]), ...byHand]
  const known = titles.flatMap(title => sections.get(title) ?? [])
  writeFileSync(resultsFile, `${[head, ...known].join('\n\n')}\n`)
}
