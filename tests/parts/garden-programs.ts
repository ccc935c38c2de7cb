// The kubelet of a Garden's programs: follows the Deployments and Etcds whose Pods are more than kwok's, and runs what they say.
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { etcdKind } from '../../shared/api/garden/kinds.ts'
import { sameJson } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { type Known, runStandIn } from '../../shared/embedded/garden/stand-in.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import type { Cluster } from '../harness/clusters/cluster.ts'
import { serviceAccountKubeconfig } from '../harness/clusters/service-account.ts'
import { partPath } from '../harness/control-plane/binaries.ts'
import { processesIn } from '../harness/control-plane/processes.ts'
import { processesOfEtcd } from '../harness/garden/etcd-process.ts'
import { rolledApiServer } from '../harness/garden/rolled-api-server.ts'
import { type LifelinedProcess, startLifelined } from '../harness/processes/bound-processes.ts'
import type { FindMounted } from '../harness/processes/mounted-volumes.ts'
import { processOfPod } from '../harness/processes/pod-process.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { admissionController, gardenerApiServer } from './gardener-stand-ins.ts'

type Ground = {
  readonly runtime: Client
  readonly cluster: Cluster
  readonly dir: string
  /** The flag that leads an API server to Services. */
  readonly egress: string
  /** Services of the runtime cluster, `garden/gardener-resource-manager:443`, and who answers for them. */
  readonly leads: Map<string, number>
}

const namespace = 'garden'
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

/** `apiServerPort`: where the virtual garden will be. */
export const gardenPrograms = async (t: Test, ground: Ground): Promise<{ readonly apiServerPort: number }> => {
  const { runtime, dir, leads } = ground
  const processes = processesIn(dir)
  const find: FindMounted = (kind, name) => runtime.get({ apiVersion: 'v1', kind, namespace, name })
  const [main = 0, events = 0, ...peers] = await freePorts(4)
  const etcdPorts: Readonly<Record<string, number>> = {
    'virtual-garden-etcd-main': main,
    'virtual-garden-etcd-events': events,
  }
  const hosts = Object.fromEntries(
    Object.entries(etcdPorts).map(([name, port]) => [`${name}-client:2379`, `127.0.0.1:${port}`]),
  )
  const apiServer = await rolledApiServer({ dir, find, hosts, processes })
  const managers = resourceManagers(ground, find, { 'virtual-garden-kube-apiserver': `127.0.0.1:${apiServer.port}` })
  const templates = new Map<string, unknown>()
  /** Whether it is there and otherwise than at the last look. */
  const isNew = (object: KubeObject | undefined): object is KubeObject => {
    if (object === undefined || sameJson(templates.get(object.metadata.name), templateOf(object))) return false
    templates.set(object.metadata.name, templateOf(object))
    return true
  }
  const reconcile = async (known: Known) => {
    const named = (name: string) => known.find({ ...deployments, namespace, name })
    for (const etcd of known.all(etcdKind).filter(isNew)) {
      const ports = [{ client: etcdPorts[etcd.metadata.name] ?? 0, peer: peers.pop() ?? 0 }]
      for (const member of await processesOfEtcd(etcd, { dir: join(dir, etcd.metadata.name), find, ports }))
        processes.start(member)
    }
    for (const name of ['gardener-resource-manager', 'virtual-garden-gardener-resource-manager']) {
      const manager = named(name)
      if (isNew(manager)) await managers.run(manager)
    }
    for (const [name, { starts, at }] of Object.entries(standIns))
      if (isNew(named(name))) {
        const port = await starts(t, await generatedSecret(runtime, name))
        for (const address of at) leads.set(address, port)
      }
    const server = named('virtual-garden-kube-apiserver')
    if (isNew(server)) await apiServer.rollOut(withFlag(server, ground.egress))
    return undefined
  }
  const kinds = [deployments, etcdKind].map(kind => ({ ...kind, client: runtime, namespace }))
  const stop = runStandIn({ name: 'kubelet', kinds, reconcile })
  t.teardown(async () => {
    await stop()
    await managers.stop()
    apiServer.close()
    await processes.stopAll()
  })
  return { apiServerPort: apiServer.port }
}

/** By their Deployments; `at`: as an API server asks for them. */
const standIns = {
  'gardener-apiserver': { starts: gardenerApiServer, at: [`${namespace}/gardener-apiserver:443`] },
  'gardener-admission-controller': {
    starts: admissionController,
    at: [`gardener-admission-controller.${namespace}:443`, 'gardener-admission-controller:443'],
  },
} as const

const generatedSecret = async (runtime: Client, name: string): Promise<KubeObject> => {
  const [found] = await runtime.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: `name=${name}` })
  if (!found) throw new Error(`no Secret ${name} was generated`)
  return found
}

const templateOf = ({ kind, spec }: KubeObject): unknown =>
  kind === 'Etcd' ? kind : (spec as { template: { spec: unknown } }).template.spec

const withFlag = (deployment: KubeObject, flag: string): KubeObject => {
  const copy = structuredClone(deployment) as unknown as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } }
  }
  copy.spec.template.spec.containers[0].args.push(flag)
  return copy as unknown as KubeObject
}

type Hosts = Readonly<Record<string, string>>

/** One process for each Deployment. It ends when another template comes, and the next one begins. */
const resourceManagers = ({ cluster, dir, leads }: Ground, find: FindMounted, hosts: Hosts) => {
  const running = new Map<string, LifelinedProcess>()
  let life = 0
  const run = async (deployment: KubeObject): Promise<void> => {
    const { name } = deployment.metadata
    const place = join(dir, `${name}-${life++}`)
    const [health = 0, metrics = 0, webhooks = 0] = await freePorts(3)
    const ports = { 8081: health, 8080: metrics, 10250: webhooks }
    mkdirSync(place)
    const { args } = await processOfPod(deployment, { dir: place, find, hosts, ports, flags: {} })
    const { serviceAccountName } = templateOf(deployment) as { serviceAccountName: string }
    const kubeconfig = join(place, 'source.kubeconfig')
    writeFileSync(kubeconfig, await serviceAccountKubeconfig(cluster, { namespace, name: serviceAccountName }))
    await running.get(name)?.end('SIGTERM')
    const log = openSync(join(dir, 'logs', `${name}.log`), 'a')
    // What a Pod finds by itself: its cluster, as its ServiceAccount. Without a kubeconfig of its own that is the target, too.
    const own = {
      KUBECONFIG: kubeconfig,
      ...(name === 'gardener-resource-manager' && { TARGET_KUBECONFIG: kubeconfig }),
    }
    const env = { ...process.env, ...own }
    running.set(
      name,
      startLifelined({ program: partPath('gardener-resource-manager'), args, env, stdio: ['ignore', log, log] }),
    )
    leads.set(`${namespace}/${name}:443`, webhooks)
  }
  const stop = async () => {
    await Promise.all([...running.values()].map(one => one.end('SIGKILL')))
  }
  return { run, stop }
}
