// Espalier as it works for Kymas in a control plane and a runtime, both real: host and relay under their own accounts, and the agent
// under its. The agent is run here, since nothing runs in the runtime; its API server reaches no Services, so it tells what it watches.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { personsAccess } from '../../shared/main/program.ts'
import { runAgent } from '../../shared/main/start/agent-in-process.ts'
import { accountAccess, accountClients, startInProcess } from '../../shared/main/start/in-process.ts'
import { install, installation } from '../../shared/main/start/install.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { accessSecret } from '../make/kyma/kyma.ts'

export type KymaInstallation = {
  /** Of a person who may do everything. */
  readonly plane: Client
  readonly runtime: Client
  /** Of the control plane, for the same person: a file. */
  readonly kubeconfigFile: string
  /** Lets the Kyma of this name reach the runtime. */
  giveAccess(kyma: string): Promise<unknown>
  /** Starts host, relay and agent. */
  start(): Promise<void>
  events(): Promise<Events>
}

/** `refused`: by the listener. `unsent`: how often the agent began to have trouble. */
export type Events = { readonly taken: number; readonly refused: number; readonly unsent: number }

export const kymaInstallation = async (t: Test): Promise<KymaInstallation> => {
  const [planeCluster, runtimeCluster] = await Promise.all([ownControlPlane(t), ownControlPlane(t)])
  const [plane, runtime] = [clientTo(t, planeCluster), clientTo(t, runtimeCluster)]
  const state = t.testdir({ kubeconfig: planeCluster.kubeconfig, runtime: runtimeCluster.kubeconfig })
  const landscape = readLandscape('serverless.yml')
  await install(plane, installation(landscape, { withWebhooks: false }))
  const { provider } = landscape
  const remotes = Object.fromEntries(
    Object.entries(provider.remotes ?? {}).map(([name, group]) => [
      name,
      { ...group, allowedHosts: ['*', '127.0.0.1'] },
    ]),
  )
  const [port] = await freePorts(1)
  const eventAddress = `127.0.0.1:${port}`
  const said: string[] = []
  const log = hostLog('info', { write: line => said.push(line) })
  const access = await personsAccess(join(state, 'kubeconfig'))
  let hostUrl = ''
  const start = async (): Promise<void> => {
    const accessOf = (name: string) => accountAccess(access, plane, { namespace: provider.namespace, name })
    const clients = await accountClients(Object.keys(landscape.functions), accessOf)
    const running = await startInProcess({
      landscape: { ...landscape, provider: { ...provider, remotes } },
      clients,
      log,
      hostFlags: [
        ...[`--callbacks-listen=${eventAddress}`, `--kyma-event-address=${eventAddress}`],
        '--kyma-agent-image=espalier',
      ],
    })
    hostUrl = running.hostUrl
    const runtimeAccess = await personsAccess(join(state, 'runtime'))
    const stopAgent = await runAgent({ access: runtimeAccess, eventAddress, log, listensOn: () => undefined })
    t.teardown(async () => {
      await stopAgent()
      await running.stop()
      await clients.close()
      writeFileSync(join('.espalier', 'tap', 'parts.log'), said.join(''))
    })
  }
  const events = async (): Promise<Events> => {
    const metrics = await (await fetch(`${hostUrl}/metrics`)).text()
    const of = (name: string) => Number(new RegExp(`^watcher_listener_${name}\\S* (\\d+)`, 'm').exec(metrics)?.[1] ?? 0)
    const refused = of('request_errors_total')
    const unsent = said.filter(line => line.includes('the control plane does not accept events')).length
    return { taken: of('requests_total') - refused, refused, unsent }
  }
  return {
    plane,
    runtime,
    kubeconfigFile: join(state, 'kubeconfig'),
    start,
    events,
    giveAccess: kyma => plane.create(accessSecret(kyma, runtimeCluster.kubeconfig), { fieldManager: 'person' }),
  }
}
