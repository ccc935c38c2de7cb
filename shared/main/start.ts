// `npm start`: clusters in this process (or the one of KUBECONFIG), host and relay beside them, samples applied, and what
// became of them. Ctrl-C stops everything.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { refOf } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { takeFolder } from '../embedded/data/lock.ts'
import { readSettings } from '../http/settings/config.ts'
import { stopOnSignals } from '../http/stop.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { createClient } from '../kube/client/client.ts'
import { personsAccess } from './cluster-access.ts'
import { accountAccess } from './start/account-access.ts'
import { applyAll, applyMeshed } from './start/apply-samples.ts'
import { startInProcess } from './start/in-process.ts'
import { counted, install } from './start/install.ts'
import { resultOf, SampleProgress } from './start/progress.ts'
import { readyText, type SampleState } from './start/samples.ts'
import { embeddedClusters, personsCluster, type StartClusters } from './start/start-clusters.ts'
import { type StartSettings, startSettings } from './start/start-settings.ts'
import { printLine } from './start/terminal.ts'

const run = async (settings: StartSettings): Promise<void> => {
  const began = performance.now()
  mkdirSync(join(settings.state, 'logs'), { recursive: true })
  const lock = join(settings.state, 'start.lock')
  const giveBack = takeFolder(lock, pid => runsAlready(settings.state, `process ${pid}, as ${lock} says`))
  const ground = await groundFor(settings)
  if (ground === undefined) return
  for (const line of ground.about) printLine('cluster', line)
  const access = await personsAccess(ground.kubeconfig)
  const client = createClient(access)
  await install(client, ground.installs)
  printLine('installed', counted(ground.installs))
  const logFile = join(settings.state, 'logs', 'espalier.log')
  const log = hostLog('info', pino.destination({ dest: logFile, sync: true }))
  const { landscape, hostFlags } = ground
  const { namespace } = landscape.provider
  const as = async (name: string) => createClient(await accountAccess(access, client, { namespace, name }))
  const clients = { host: await as('host'), relay: await as('relay') }
  const running = await startInProcess({ landscape, clients, log, hostFlags })
  ground.routeWebhooks(running.webhooks)
  const stopAgent = await ground.runAgent(log)
  printLine('host', `${running.hostUrl} serves ${Object.keys(landscape.functions).join(', ')}`)
  printLine('relay', `${running.relayUrl} watches; both write to ${logFile}`)
  const ending = new AbortController()
  stopOnSignals(async () => {
    printLine('stopping', 'calls in flight end first')
    ending.abort()
    await stopAgent()
    await running.stop()
    await Promise.all([client, clients.host, clients.relay].map(one => one.close()))
    await ground.stop()
    giveBack()
  })
  await applyAll(client, ground.samples)
  const shown = [...ground.samples.map(refOf), ...ground.outcomes]
  const progress = new SampleProgress(client, shown)
  const show = async (): Promise<void> => {
    await progress.until(isShowable, patienceMilliseconds)
    const { open } = progress
    process.stdout.write(`\n${await resultOf(client, shown)}\n\n${readyText(open, seconds(began))}\n`)
    process.stdout.write(`Look around, in another terminal:\n\n${ground.hints.map(hint => `  ${hint}\n`).join('')}`)
    process.stdout.write('\nCtrl-C stops everything.\n')
    await progress.until(isDone, longPatienceMilliseconds, ending.signal)
    if (open.length > 0 && progress.open.length === 0) printLine('ready', `all of it, after ${seconds(began)}`)
  }
  await Promise.all([show(), applyMeshed(client, ground, ending.signal)]).catch(error => {
    if (!ending.signal.aborted) throw error
  })
}

const runsAlready = (state: string, by: string): string =>
  `npm start runs already with the folder ${state} (${by}): end that one with Ctrl-C, or give this one a folder of its own with --state`

/** undefined when nobody agreed. */
const groundFor = async (settings: StartSettings): Promise<StartClusters | undefined> => {
  const landscape = readLandscape('serverless.yml')
  if (settings.kubeconfig === undefined) return embeddedClusters(settings, landscape)
  const ground = await personsCluster(settings, landscape)
  if (ground) return ground
  process.stdout.write('Nothing was installed. Without KUBECONFIG, npm start brings a cluster of its own.\n')
  process.exitCode = 1
  return undefined
}

const patienceMilliseconds = 300_000
const longPatienceMilliseconds = 1_200_000

const isDone = (state: SampleState): boolean => state.isDone
const isShowable = (state: SampleState): boolean => state.isDone || state.isShowable === true

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
    failed(errorText(error))
    process.exit(1)
  })
