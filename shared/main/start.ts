// `npm start`: clusters in this process (or the cluster of KUBECONFIG), host and relay, and samples with their results. Ctrl-C stops
// everything.
import { join, resolve } from 'node:path'
import type { Landscape } from '../api/serverless.ts'
import { refOf } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import { stopOnSignals } from '../http/readiness.ts'
import { readSettings } from '../http/settings/config.ts'
import { createClient } from '../kube/client/client.ts'
import type { Client } from '../kube/client-types.ts'
import type { ReviewedUser } from '../kube/reviews.ts'
import { landscapeIn, ownFolder, servedOf } from './landscape.ts'
import { calledKinds, ownCluster, ownInstallation, ownSamples } from './own/own-cluster.ts'
import { applyAll, applyMeshed } from './start/apply-samples.ts'
import { accountAccess, accountClients, type RunningConsole, startInProcess } from './start/in-process.ts'
import { counted, install, installation, patiently } from './start/install.ts'
import { resultsOf, resultText, SampleProgress } from './start/progress.ts'
import { ownStateOf, readyText, type SampleName, type SampleState, samples, samplesFor } from './start/samples.ts'
import { embeddedClusters, ownKubeconfig, personsCluster, type StartClusters } from './start/start-clusters.ts'
import { type StartSettings, startSettings } from './start/start-settings.ts'
import { stateLog, takeStateFolder, writePrivateFile } from './start/state-folder.ts'
import { type Terminal, terminal, wrapped } from './start/terminal.ts'
import { holdLittleMemory } from './v8-flags.ts'

const run = async (settings: StartSettings): Promise<void> => {
  const began = performance.now()
  holdLittleMemory('half')
  takeStateFolder(settings.state)
  const { own, kubeconfig } = chosenCluster(settings)
  const isAsked = !own && settings.agreed !== 'yes'
  const shell = terminal({ isJson: settings.json === 'yes', isQuiet: settings.quiet === 'yes' && !isAsked })
  const ground = await groundFor({ ...settings, kubeconfig }, shell)
  if (ground === undefined) return
  for (const line of ground.about) shell.line('cluster', line)
  const { access } = ground
  const client = createClient(access)
  await install(client, ground.installs, shell)
  shell.line('installed', counted(ground.installs))
  if (settings.plans === 'yes') await showPlans(ground, client, shell)
  const logFile = join(settings.state, 'logs', 'espalier.log')
  const log = stateLog(logFile, { failed, threw: message => shell.line('threw', message) })
  const { landscape, hostFlags } = ground
  const { namespace } = landscape.provider
  const accessOf = (name: string) =>
    patiently(`a token for ${namespace}/${name}`, () => accountAccess(access, client, { namespace, name }), shell)
  const clients = await accountClients(Object.keys(landscape.functions), accessOf)
  const running = await startInProcess({ landscape, clients, log, hostFlags, folder: ownFolder('serverless.yml') })
  ground.routeWebhooks?.(running.webhooks)
  const stopAgent = await ground.runAgent?.(log)
  const consoleUrl = running.console && (await inviteTo(running.console, client, settings.state))
  shell.line('host', `${running.hostUrl} serves ${Object.keys(landscape.functions).join(', ')}`)
  shell.line('relay', `${running.relayUrl} watches; both write to ${logFile}`)
  if (consoleUrl !== undefined)
    shell.line('console', `${consoleUrl} logs you in once; the next link is in ${join(settings.state, 'console-url')}`)
  const ending = new AbortController()
  stopOnSignals(async () => {
    shell.line('stopping', 'waiting for running calls')
    ending.abort()
    await stopAgent?.()
    await running.stop()
    await Promise.all([client.close(), clients.close()])
    await ground.stop()
  })
  await applyAll(client, ground.samples, shell)
  const { stateOf } = ground
  const shown = [...ground.samples.map(refOf), ...(ground.outcomes ?? [])]
  const progress = new SampleProgress(client, shown, { terminal: shell, stateOf })
  const show = async (): Promise<void> => {
    await progress.until(isShowable, patienceMilliseconds, ending.signal)
    const { open } = progress
    const objects = await resultsOf(client, shown, stateOf)
    const text = `\n${resultText(objects)}\n\n${readyText(open, seconds(began))}\n${lookAround(ground.hints)}`
    shell.result(text, { kubeconfig: ground.kubeconfig, seconds: (performance.now() - began) / 1000, open, objects })
    await progress.until(isDone, longPatienceMilliseconds, ending.signal)
    if (open.length > 0 && progress.open.length === 0) shell.line('ready', `everything, after ${seconds(began)}`)
  }
  await Promise.all([show(), applyMeshed(client, ground, { ending: ending.signal, terminal: shell })]).catch(error => {
    if (!ending.signal.aborted) throw error
  })
}

/** Imported only here, because it loads the code of the command line. */
const showPlans = async (ground: StartClusters, client: Client, shell: Terminal): Promise<void> => {
  const { firstPlans } = await import('./own/first-plans.ts')
  await firstPlans(ground, client, (text, plan) => shell.result(`\n${text}`, plan))
}

/** A link that logs in the user of this machine. Each link works once. The file always contains an unused link. */
const inviteTo = async ({ url, pages }: RunningConsole, client: Client, state: string): Promise<string> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const { status } = (await client.raw({ method: 'POST', path, body })) as { status: { userInfo: ReviewedUser } }
  const keep = (link: string): void => writePrivateFile(join(state, 'console-url'), `${url}${link}\n`)
  const link = pages.invite(status.userInfo, keep)
  keep(link)
  return url + link
}

const lookAround = (hints: readonly string[]): string =>
  `Look around, in another terminal:\n\n${hints.map(hint => `  ${hint}\n`).join('')}\nCtrl-C stops everything.`

/** If the shell has sourced `env`, KUBECONFIG names the control plane of an earlier run. In this case a new control plane starts. */
const chosenCluster = ({ state, kubeconfig }: StartSettings): { own: boolean; kubeconfig: string | undefined } =>
  kubeconfig === undefined || resolve(kubeconfig) === resolve(ownKubeconfig(state))
    ? { own: true, kubeconfig: undefined }
    : { own: false, kubeconfig }

/** undefined: the user did not agree. */
const groundFor = async (settings: StartSettings, shell: Terminal): Promise<StartClusters | undefined> => {
  const landscape = servedOf(await landscapeIn(process.cwd()), settings.functions)
  const folder = ownFolder('serverless.yml')
  const wanted = { landscape, samples: chosenSamples(settings, landscape), terminal: shell }
  if (settings.kubeconfig === undefined)
    return folder === undefined ? embeddedClusters(settings, wanted) : ownCluster(settings, { ...wanted, folder })
  const ground = await personsCluster(settings, { landscape, terminal: shell, ...(await contentOf(folder, wanted)) })
  if (ground) return ground
  failed('nothing was installed. Without KUBECONFIG, npm start uses an embedded cluster.')
  return undefined
}

/** The objects for a user's cluster, without webhooks, because a remote API server cannot call a process on a laptop. */
const contentOf = async (
  folder: string | undefined,
  { landscape, samples: names }: { landscape: Landscape; samples: readonly SampleName[] },
) => {
  const withWebhooks = false
  if (folder === undefined) return { installs: installation(landscape, { withWebhooks }), samples: samples(names) }
  return {
    installs: await ownInstallation({ folder, landscape }, { withWebhooks }),
    samples: await ownSamples(folder),
    stateOf: ownStateOf(calledKinds(landscape)),
  }
}

const chosenSamples = ({ samples }: StartSettings, { functions }: Landscape): readonly SampleName[] =>
  samples?.filter(name => name !== 'none') ?? samplesFor(Object.keys(functions))

const patienceMilliseconds = 300_000
const longPatienceMilliseconds = 1_200_000

const isDone = (state: SampleState): boolean => state.isDone
const isShowable = (state: SampleState): boolean => state.isDone || state.isShowable === true

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

const failed = (message: string): void => {
  const lines = `start: ${message}`.split('\n').map(line => wrapped(line, 7))
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}

// The program that reads our output has ended, or the disk is full.
process.stdout.on('error', error => {
  failed(`the output cannot be written: ${errorText(error)}`)
  process.exit()
})
const reading = readSettings(startSettings, 'npm start --')

if (reading.is === 'text') process.stdout.write(`${reading.text}\n`)
else if (reading.is === 'faults') failed(reading.faults.join('\nstart: '))
else
  run(reading.settings).catch(error => {
    failed(errorText(error))
    process.exit(1)
  })
