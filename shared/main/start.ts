// `npm start`: a cluster in this process (or the one of KUBECONFIG), host and relay beside it, samples applied, and what
// became of them. Ctrl-C stops everything.
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import pino from 'pino'
import type { Landscape } from '../api/serverless.ts'
import { refOf, refText } from '../core/object.ts'
import { readLandscape } from '../deploy/landscape.ts'
import { readSettings } from '../http/config.ts'
import { hostLog } from '../http/log.ts'
import { stopOnSignals } from '../http/stop.ts'
import { createClient } from '../kube/client.ts'
import type { Client } from '../kube/client-types.ts'
import { accountAccess } from './account-access.ts'
import { personsAccess } from './cluster-access.ts'
import { startInProcess } from './in-process.ts'
import { counted, type Installation, install, installation, listed } from './install.ts'
import { samples, stateOf } from './samples.ts'
import { type StartSettings, startSettings } from './start-settings.ts'
import { table } from './table.ts'

type Ground = {
  readonly kubeconfig: string
  readonly about: string
  readonly installs: Installation
  /** Tells the API server where our webhooks are, if it can reach this process. */
  routeWebhooks(to: AddressInfo | undefined): void
  stop(): Promise<void>
}

const run = async (settings: StartSettings): Promise<void> => {
  const began = performance.now()
  const landscape = readLandscape('serverless.yml')
  mkdirSync(join(settings.state, 'logs'), { recursive: true })
  const ground =
    settings.kubeconfig === undefined ? await embedded(settings, landscape) : await theirs(settings, landscape)
  if (ground === undefined) return
  tell('cluster', ground.about)
  const access = await personsAccess(ground.kubeconfig)
  const client = createClient(access)
  await install(client, ground.installs)
  tell('installed', counted(ground.installs))
  const logFile = join(settings.state, 'logs', 'espalier.log')
  const log = hostLog('info', pino.destination({ dest: logFile, sync: true }))
  const { namespace } = landscape.provider
  const as = async (name: string) => createClient(await accountAccess(access, client, { namespace, name }))
  const clients = { host: await as('host'), relay: await as('relay') }
  const running = await startInProcess({ landscape, clients, log })
  ground.routeWebhooks(running.webhooks)
  tell('host', `${running.hostUrl} serves ${Object.keys(landscape.functions).join(', ')}`)
  tell('relay', `${running.relayUrl} watches; both write to ${logFile}`)
  stopOnSignals(async () => {
    tell('stopping', 'calls in flight end first')
    await running.stop()
    await Promise.all([client, clients.host, clients.relay].map(one => one.close()))
    await ground.stop()
  })
  await applySamples(client)
  await untilDone(client)
  process.stdout.write(
    `\n${await result(client)}\n\nready after ${seconds(began)}. Look around, in another terminal:\n\n`,
  )
  process.stdout.write(`  ${hint(ground)}\n\nCtrl-C stops everything.\n`)
}

const hint = ({ kubeconfig }: Ground): string =>
  `kubectl --kubeconfig ${relative('', kubeconfig)} get gardens,components,networkpolicies -A`

const embedded = async ({ state, data }: StartSettings, landscape: Landscape): Promise<Ground> => {
  const { startEmbeddedCluster } = await import('../embedded/start.ts')
  let webhooks: { host: string; port: number } | undefined
  const cluster = await startEmbeddedCluster({ name: 'espalier', node: true, data, resolveService: () => webhooks })
  const kubeconfig = join(state, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 })
  return {
    kubeconfig,
    about: `embedded, ${cluster.url}; kubeconfig in ${kubeconfig}`,
    installs: installation(landscape, { withWebhooks: true }),
    routeWebhooks: to => {
      webhooks = to && { host: to.address, port: to.port }
    },
    stop: cluster.stop,
  }
}

/** undefined: the person said no. Their API server cannot call a process on a laptop: it gets no webhooks. */
const theirs = async (
  { kubeconfig = '', agreed }: StartSettings,
  landscape: Landscape,
): Promise<Ground | undefined> => {
  const { server } = await personsAccess(kubeconfig)
  const installs = installation(landscape, { withWebhooks: false })
  tell('cluster', `${server}, from ${kubeconfig}`)
  for (const line of listed([...installs, samples()])) tell('installs', line)
  if (agreed === 'yes' || (await isAgreed()))
    return { kubeconfig, about: server, installs, routeWebhooks: () => undefined, stop: async () => undefined }
  process.stdout.write('Nothing was installed. Without KUBECONFIG, npm start brings a cluster of its own.\n')
  process.exitCode = 1
  return undefined
}

/** Where nobody can be asked, nobody agreed. */
const isAgreed = async (): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question('Use this cluster and install these? [y/N] ')
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

const person = { fieldManager: 'espalier-start' }

const applySamples = async (client: Client): Promise<void> => {
  for (const object of samples()) {
    await client.apply(object, person)
    tell('applied', refText(refOf(object)))
  }
}

const lookMilliseconds = 200
const patienceMilliseconds = 60_000

/** Says what happens to each sample as it happens. */
const untilDone = async (client: Client): Promise<void> => {
  const until = performance.now() + patienceMilliseconds
  const open = new Map(samples().map(object => [refText(refOf(object)), object]))
  const told = new Map<string, string>()
  while (open.size > 0 && performance.now() < until) {
    for (const [name, object] of open) {
      const { isDone, text } = stateOf(await client.get(refOf(object)))
      if (isDone) open.delete(name)
      if (isDone || (text !== told.get(name) && text !== stateOf(undefined).text))
        tell(isDone ? 'done' : '…', `${name}: ${text}`)
      told.set(name, text)
    }
    if (open.size > 0) await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  }
}

const result = async (client: Client): Promise<string> => {
  const objects = await Promise.all(samples().map(async object => ({ object, found: await client.get(refOf(object)) })))
  return table([
    ['OBJECT', 'STATE'],
    ...objects.flatMap(({ object, found }) => {
      const { text, details = [] } = stateOf(found)
      return [[refText(refOf(object)), text], ...details.map(detail => ['', `  ${detail}`])]
    }),
  ])
}

const tell = (what: string, about: string): void => {
  process.stdout.write(`${what.padEnd(10)} ${about}\n`)
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

const reading = readSettings(startSettings, 'npm start --')
const failed = (message: string): void => {
  process.stderr.write(`start: ${message}\n`)
  process.exitCode = 1
}

if (reading.is === 'text') process.stdout.write(`${reading.text}\n`)
else if (reading.is === 'faults') failed(reading.faults.join('\nstart: '))
else
  run(reading.settings).catch(error => {
    failed(error instanceof Error ? error.message : String(error))
    process.exit(1)
  })
