// A Garden whose virtual garden is real. garden-reconcile works in a real runtime cluster, and the etcds, kube-apiserver and kube-controller-manager
// that it makes are processes of this machine. Stand-ins do the work of others: druid, resource managers, a load balancer, gardenlets, and the Pods
// of all other workloads.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { type Key, refOf } from '../../../shared/core/objects/object.ts'
import { loadBalancer } from '../../../shared/embedded/garden/backup-sidecar.ts'
import { druid } from '../../../shared/embedded/garden/druid.ts'
import { gardenlet } from '../../../shared/embedded/garden/gardener.ts'
import { whileAvailable } from '../../../shared/embedded/garden/health.ts'
import { managedResources } from '../../../shared/embedded/garden/managed-resources.ts'
import { runStandIn } from '../../../shared/embedded/garden/stand-in.ts'
import { tokenRequests } from '../../../shared/embedded/garden/token-requests.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { type CallContext, processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { allowingWebhooks } from '../clusters/allowing-webhooks.ts'
import { ownControlPlane, type TestContext } from '../clusters/cluster.ts'
import { define } from '../clusters/test-definitions.ts'
import { lasting } from '../component/orchards.ts'
import { processesIn } from '../control-plane/processes.ts'
import { mortalProcess } from '../processes/mortal-process.ts'
import { processOfPod } from '../processes/pod-process.ts'
import { freePorts } from '../processes/ports.ts'
import { type ScratchProcesses, scratchProcesses } from '../processes/scratch-processes.ts'
import { eventually, until } from '../until.ts'
import type { EtcdPorts } from './etcd-process.ts'
import { gardenSettings } from './garden-settings.ts'
import { servingCertificate, virtualAdmin } from './live-access.ts'
import { liveEtcd } from './live-etcd.ts'
import { livePods } from './live-pods.ts'
import { deploymentRef, idleWorkloads, liveWorkload, mountedIn } from './live-workloads.ts'
import { hostOf, type RolledApiServer, type RolledFrom, rolledApiServer } from './rolled-api-server.ts'

export type LiveGarden = {
  /** A client of a person with all rights in the runtime cluster. */
  readonly runtime: Client
  /** The same for the virtual garden, with a certificate of the authority at the time of the latest rollout. */
  readonly virtual: Client
  readonly served: RolledApiServer
  readonly etcds: Readonly<Record<'main' | 'events', EtcdPorts>>
  read(): Promise<Garden | undefined>
  /** One call of a function for the Garden. */
  call(definition: ReconcileFunction, change?: Partial<CallContext>): Promise<Outcome>
  /** Processes that die work on the Garden until `isSo`. Returns the Garden then. */
  until(isSo: (garden: Garden | undefined) => boolean): Promise<Garden | undefined>
  /** How many processes have died since the last call. */
  deaths(): number
}

const namespace = 'garden'
const person = { fieldManager: 'person' }

/** Addresses of Services and of the API server, for a runtime cluster with IPv6 only. */
const ofIPv6 = ['--service-cluster-ip-range=fd00:10::/108', '--advertise-address=2001:db8::2']

type Family = NonNullable<RolledFrom['family']>

/** The Garden exists when this resolves, but nothing has worked on it yet. `family`: of the runtime cluster, and of all processes of the Garden. */
export async function liveGarden(t: TestContext, subject: Garden, family: Family = 'IPv4'): Promise<LiveGarden> {
  const place = newPlace(t, family)
  const runtime = await runtimeCluster(t, place)
  const host = hostOf[family]
  const [main = 0, events = 0, mainPeer = 0, eventsPeer = 0] = await freePorts(4)
  const etcds = { main: { client: main, peer: mainPeer }, events: { client: events, peer: eventsPeer } }
  const hosts = {
    'virtual-garden-etcd-main-client:2379': `${host}:${main}`,
    'virtual-garden-etcd-events-client:2379': `${host}:${events}`,
  }
  const served = await rolledApiServer({ ...place, find: mountedIn(runtime), hosts })
  place.ends.push(served.close)
  const virtual = runLive({ ...place, runtime, served, etcds })
  const home = { local: runtime, settingsOf: await gardenSettings(`127.0.0.1:${served.port}`) }
  const context = processContext({ clusters: clusters({ local: runtime }), settingsOf: home.settingsOf })
  const key = { namespace: '', name: subject.metadata.name }
  const call: LiveGarden['call'] = (definition, change) =>
    reconcile(definition, key, { ...context, ...lasting(120), now: () => new Date(), log: silent, ...change })
  const read = async () => (await runtime.get(refOf(subject))) as Garden | undefined
  const lives = successiveLives(home)
  place.ends.push(lives.end)
  const once = async () => {
    const outcome = await lives.call(key)
    if (outcome && (outcome.outcome !== 'waiting' || outcome.requeueAfterSeconds !== 0)) await wait(pauseMilliseconds)
    return read()
  }
  await define(runtime, gardenCrd())
  await runtime.create(subject, person)
  const untilSo: LiveGarden['until'] = isSo => until(once, isSo)
  return { runtime, virtual, served, etcds, read, call, until: untilSo, deaths: lives.deaths }
}

/**
 * So a few processes die in each phase, and some while the Secrets of the virtual garden are renewed. A prime, so that processes die at many places
 * of a pass.
 */
const writesOfALife = 71

/** Processes work on the Garden one after the other. Each dies in the middle of its work. */
const successiveLives = (home: Parameters<typeof mortalProcess>[0]) => {
  let [deaths, life] = [0, mortalProcess(home, writesOfALife)]
  return {
    /** undefined: the process died during the call. */
    call: async (key: Key): Promise<Outcome | undefined> => {
      const outcome = await life.reconcile(gardenReconcile as ReconcileFunction, key)
      if (!life.isDead()) return outcome
      deaths++
      await life.end()
      life = mortalProcess(home, writesOfALife)
      return undefined
    },
    deaths: () => {
      const died = deaths
      deaths = 0
      return died
    },
    end: () => life.end(),
  }
}

const pauseMilliseconds = 300
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type Place = ScratchProcesses & { readonly ends: (() => unknown)[]; readonly family: Family }

const newPlace = (t: TestContext, family: Family): Place => {
  const [place, ends] = [scratchProcesses(t), [] as (() => unknown)[]]
  t.teardown(async () => {
    for (const end of ends.reverse()) await end()
  })
  return { ...place, ends, family }
}

/** A real runtime cluster with the controllers that a Garden needs. Nobody makes Pods. */
const runtimeCluster = async (t: TestContext, { dir, ends, family }: Place): Promise<Client> => {
  const { promise: runtime, resolve } = Promise.withResolvers<Client>()
  const webhooks = await allowingWebhooks(dir, async name => servingCertificate(await runtime, name))
  ends.push(webhooks.close)
  const { admin, caData, url } = await ownControlPlane(t, {
    onlyControllers: ['namespace-controller', 'garbage-collector-controller', 'serviceaccount-controller'],
    apiServerFlags: [...webhooks.apiServerFlags, ...(family === 'IPv6' ? ofIPv6 : [])],
  })
  const credentials = { ca: atob(caData), ...admin }
  const client = createClient({ server: url, credentials: () => credentials })
  ends.push(client.close)
  resolve(client)
  return client
}

type Live = Place & Pick<LiveGarden, 'runtime' | 'served' | 'etcds'>

/** Runs all stand-ins. Returns a client of the virtual garden. */
const runLive = (live: Live): Client => {
  const { runtime, served, ends } = live
  let credentials = {}
  const virtual = createClient({
    server: `https://127.0.0.1:${served.port}`,
    credentials: () => credentials,
  })
  const rolledOut = async (): Promise<void> => {
    credentials = { ...(await virtualAdmin(runtime)), acceptsAnyCertificate: true }
  }
  const inRuntime = (name: string) => ({ client: runtime, namespace, name })
  const ofVirtual = inRuntime('virtual-garden-gardener-resource-manager')
  const seed = managedResources({ class: 'seed', source: runtime, target: runtime })
  const shoot = managedResources({ class: '', source: runtime, target: withoutWebhooks(virtual) })
  const stops = [
    idleWorkloads(runtime),
    loadBalancer(runtime),
    whileAvailable(druid(runtime), inRuntime('etcd-druid')),
    whileAvailable(seed, inRuntime('gardener-resource-manager')),
    whileAvailable(shoot, ofVirtual),
    whileAvailable(tokenRequests({ source: runtime, target: virtual, namespace }), ofVirtual),
    gardenlet(virtual),
    ...liveEtcds(live),
    liveApiServer(live, rolledOut),
    liveControllerManager(live),
  ].map(runStandIn)
  ends.push(virtual.close, () => Promise.all(stops.map(stop => stop())))
  return virtual
}

const liveEtcds = ({ runtime: client, dir, processes, etcds, family }: Live) =>
  Object.entries(etcds).map(([role, ports]) =>
    liveEtcd({
      client,
      processes,
      ports,
      host: hostOf[family],
      dir: join(dir, role),
      name: `virtual-garden-etcd-${role}`,
    }),
  )

const liveApiServer = ({ runtime, served }: Live, rolledOut: () => Promise<void>) => {
  const pods = livePods(runtime, served.drained)
  return liveWorkload(runtime, deploymentRef('virtual-garden-kube-apiserver'), {
    stop: async () => {
      await served.stop()
      await pods.end()
    },
    start: async deployment => {
      await served.rollOut(deployment)
      await pods.replaced(deployment)
      await rolledOut()
    },
  })
}

/** Its process starts when its token exists. It may end while no API server answers, and nobody cares then. */
const liveControllerManager = ({ runtime, served, dir }: Live) => {
  const place = join(dir, 'controller-manager')
  mkdirSync(join(place, 'logs'), { recursive: true })
  const processes = processesIn(place)
  const stop = processes.stopAll
  const hosts = { 'virtual-garden-kube-apiserver': `127.0.0.1:${served.port}` }
  return liveWorkload(runtime, deploymentRef('virtual-garden-kube-controller-manager'), {
    stop,
    start: async deployment => {
      const [port = 0] = await freePorts(1)
      // With a Lease it would end if it cannot renew the Lease while the API server is away, and no kubelet would start it again.
      const flags = { 'secure-port': String(port), 'bind-address': '127.0.0.1', 'leader-elect': 'false' }
      await eventually('its Pod can mount its files', async () => {
        const pod = processOfPod(deployment, { dir: place, find: mountedIn(runtime), hosts, flags })
        const component = await pod.catch(() => undefined)
        if (component) await stop()
        if (component) processes.start(component)
        return component !== undefined
      })
    },
  })
}

/** Leaves out webhook configurations, because the Pods that answer these webhooks do not run. */
const withoutWebhooks = (client: Client): Client => ({
  ...client,
  apply: (object, options) =>
    object.kind.endsWith('WebhookConfiguration') ? Promise.resolve(object) : client.apply(object, options),
})
