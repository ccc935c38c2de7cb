// `npm start`: clusters in this process (or the one of KUBECONFIG), host and relay beside them, samples applied, and what
// became of them. Ctrl-C stops everything.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { istioKind } from '../api/istio.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { takeFolder } from '../embedded/data/lock.ts'
import { readSettings } from '../http/settings/config.ts'
import { stopOnSignals } from '../http/stop.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { createClient } from '../kube/client/client.ts'
import type { Client } from '../kube/client-types.ts'
import { personsAccess } from './cluster-access.ts'
import { accountAccess } from './start/account-access.ts'
import { startInProcess } from './start/in-process.ts'
import { counted, install, installedNames } from './start/install.ts'
import { readyText, type SampleState, sampleStateOf, waiting } from './start/samples.ts'
import { embeddedClusters, personsCluster, type StartClusters } from './start/start-clusters.ts'
import { type StartSettings, startSettings } from './start/start-settings.ts'
import { table } from './start/table.ts'
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
  const progress = new Progress(client, shown)
  const show = async (): Promise<void> => {
    await progress.until(isShowable, patienceMilliseconds)
    const { open } = progress
    process.stdout.write(`\n${await result(client, shown)}\n\n${readyText(open, seconds(began))}\n`)
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

/** Namespaces first: the others are in them. A Garden is last, since it makes a mesh of its own where no Istio is. */
const applyAll = async (client: Client, samples: readonly KubeObject[]): Promise<void> => {
  if (samples.length === 0) return
  const { Namespace: namespaces = [], Garden: gardens = [], others = [] } = Object.groupBy(samples, turnOf)
  await install(client, [namespaces, others, gardens])
  for (const line of installedNames([samples])) printLine('applied', line)
}

const turnOf = ({ kind }: KubeObject) => (kind === 'Namespace' || kind === 'Garden' ? kind : 'others')

/** Pods that are made before the mesh is Ready would stay without a sidecar, however long the mesh takes. */
const applyMeshed = async (client: Client, { samples, meshed }: StartClusters, ending: AbortSignal): Promise<void> => {
  const meshes = samples.filter(({ kind }) => kind === istioKind.kind).map(refOf)
  const areReady = async (): Promise<boolean> => {
    const states = await Promise.all(meshes.map(async ref => sampleStateOf(await client.get(ref))))
    return states.every(state => state?.isDone === true)
  }
  while (!ending.aborted && !(await areReady())) await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  if (!ending.aborted) await applyAll(client, meshed)
}

const lookMilliseconds = 200
const patienceMilliseconds = 300_000
const longPatienceMilliseconds = 1_200_000

const isDone = (state: SampleState): boolean => state.isDone
const isShowable = (state: SampleState): boolean => state.isDone || state.isShowable === true

/** Prints what happens to each object. All are watched together, so that short-lived states are seen too. */
class Progress {
  readonly #client: Client
  readonly #open: Map<string, ObjectRef>
  readonly #printed = new Map<string, string>()

  constructor(client: Client, refs: readonly ObjectRef[]) {
    this.#client = client
    this.#open = new Map(refs.map(ref => [refText(ref), ref]))
  }

  /** Those that are not done. */
  get open(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Until this is so of every object, or patience or the run ends. */
  async until(isWished: (state: SampleState) => boolean, patience: number, ending?: AbortSignal): Promise<void> {
    const until = performance.now() + patience
    while (!ending?.aborted && !(await this.#look(isWished)) && performance.now() < until)
      await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  }

  async #look(isWished: (state: SampleState) => boolean): Promise<boolean> {
    const states = await Promise.all([...this.#open].map(one => this.#stateNow(one)))
    for (const { name, state } of states) this.#print(name, state)
    return states.every(({ state }) => state === undefined || isWished(state))
  }

  async #stateNow([name, ref]: [string, ObjectRef]): Promise<{ name: string; state: SampleState | undefined }> {
    return { name, state: sampleStateOf(await this.#client.get(ref)) }
  }

  #print(name: string, state: SampleState | undefined): void {
    if (state?.isDone !== false) this.#open.delete(name)
    if (state && (state.isDone || state.text !== (this.#printed.get(name) ?? waiting.text)))
      printLine(state.isDone ? 'done' : '…', `${name}: ${state.text}`)
    this.#printed.set(name, state?.text ?? '')
  }
}

const result = async (client: Client, refs: readonly ObjectRef[]): Promise<string> => {
  const objects = await Promise.all(refs.map(async ref => ({ ref, state: sampleStateOf(await client.get(ref)) })))
  return table([
    ['OBJECT', 'STATE'],
    ...objects.flatMap(({ ref, state }) =>
      state ? [[refText(ref), state.text], ...(state.details ?? []).map(detail => ['', `  ${detail}`])] : [],
    ),
  ])
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
    failed(errorText(error))
    process.exit(1)
  })
