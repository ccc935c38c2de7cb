// Espalier as it brings a Garden up in a real runtime cluster, under its own accounts, with the programs of others as processes of this
// machine: what the generated Deployments of resource managers and of kube-apiserver tell them to be, and etcds as the Etcds say. Pods
// are kwok's; druid and a cloud's load balancers are stand-ins.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fill } from '../../functions/garden-admission/review.ts'
import { valueAt } from '../../shared/core/json/fields.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { loadBalancer } from '../../shared/embedded/garden/backup-sidecar.ts'
import { druid } from '../../shared/embedded/garden/druid.ts'
import { whileAvailable } from '../../shared/embedded/garden/health.ts'
import { runStandIn } from '../../shared/embedded/garden/stand-in.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { personsAccess } from '../../shared/main/program.ts'
import { accountAccess, accountClients, startInProcess } from '../../shared/main/start/in-process.ts'
import { install, installation } from '../../shared/main/start/install.ts'
import type { AdmissionRequest } from '../../shared/runtime/definition.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { serviceAt, serviceProxy } from '../harness/control-plane/service-proxy.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { gardenPrograms } from './garden-programs.ts'

export type GardenInstallation = {
  /** Of a person who may do everything in the runtime cluster. */
  readonly runtime: Client
  /** Applies the Garden as the defaulting webhook leaves it. */
  apply(garden: KubeObject): Promise<KubeObject>
  /** Whom the API server of the virtual garden takes the bearer of this token for. */
  userOf(token: string): Promise<unknown>
}

const namespace = 'garden'

export const gardenInstallation = async (t: Test): Promise<GardenInstallation> => {
  const dir = scratchFolder()
  mkdirSync(join(dir, 'logs'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const leads = new Map<string, number>()
  const proxy = await serviceProxy(dir, async address => leads.get(await serviceAt(runtime, address)))
  t.teardown(() => proxy.close())
  const egress = `--egress-selector-config-file=${proxy.file}`
  const cluster = await ownControlPlane(t, { apiServerFlags: [egress] })
  const runtime = clientTo(t, cluster)
  const landscape = readLandscape('serverless.yml')
  await install(runtime, installation(landscape, { withWebhooks: false }))
  await Promise.all(volumes().map(volume => runtime.create(volume, person)))
  const programs = await gardenPrograms(t, { runtime, cluster, dir, egress, leads })
  const log = hostLog('info', { write: line => writeFileSync(join(dir, 'logs', 'espalier.log'), line, { flag: 'a' }) })
  const access = await personsAccess(cluster.kubeconfigPath)
  const accessOf = (name: string) => accountAccess(access, runtime, { namespace: landscape.provider.namespace, name })
  const clients = await accountClients(Object.keys(landscape.functions), accessOf)
  const hostFlags = [`--virtual-garden-address=127.0.0.1:${programs.apiServerPort}`, '--garden-care-seconds=15']
  const running = await startInProcess({ landscape, clients, log, hostFlags })
  const operator = { client: runtime, namespace, name: 'etcd-druid' }
  const standIns = [whileAvailable(druid(runtime), operator), loadBalancer(runtime)].map(runStandIn)
  t.teardown(async () => {
    await running.stop()
    await Promise.all(standIns.map(stop => stop()))
    await clients.close()
  })
  return {
    runtime,
    apply: garden => runtime.apply(defaulted(garden), person),
    userOf: token => userOf(`https://127.0.0.1:${programs.apiServerPort}`, token),
  }
}

const person = { fieldManager: 'person' }

const userOf = async (server: string, token: string): Promise<unknown> => {
  const client = createClient({ server, credentials: () => ({ token, acceptsAnyCertificate: true }) })
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const review = await client.raw({ method: 'POST', path, body: kind }).finally(() => client.close())
  return valueAt(review, 'status', 'userInfo', 'username')
}

const defaulted = (object: KubeObject): KubeObject => {
  const verdict = fill({ object } as AdmissionRequest)
  if (!verdict.allowed || !verdict.object) throw new Error('the Garden is refused')
  return verdict.object
}

/** Nobody provisions any: claims without a class take these. */
const volumes = (): KubeObject[] =>
  [0, 1, 2, 3].map(index => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `disk-${index}` },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '50Gi' }, hostPath: { path: `/disk-${index}` } },
  }))
