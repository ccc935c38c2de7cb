// A mesh that istio installs from Istio's own charts, with istiod itself: one process of this machine, with the arguments, variables and
// files of the live Deployment, as its ServiceAccount. The API server asks it as any other: through the Service that webhooks name.
// Pods, istiod's too, are kwok's.
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { istioNames } from '../../shared/api/istio/names.ts'
import { valueAt } from '../../shared/core/json/fields.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { quantityAmount } from '../../shared/core/objects/quantity.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { serviceAccountKubeconfig, serviceAccountToken } from '../harness/clusters/service-account.ts'
import { partPath } from '../harness/control-plane/binaries.ts'
import { serviceAt, serviceProxy } from '../harness/control-plane/service-proxy.ts'
import { type IstioGround, istioGround, meshWorkload } from '../harness/istio/istio-ground.ts'
import { type LifelinedProcess, startLifelined } from '../harness/processes/bound-processes.ts'
import type { FindMounted } from '../harness/processes/mounted-volumes.ts'
import { processOfPod } from '../harness/processes/pod-process.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { eventually } from '../harness/until.ts'

export type IstiodMesh = IstioGround & {
  /** Begins what the Deployment says, instead of what ran before; resolves when it says that it is ready. */
  startIstiod(): Promise<void>
  /** Every autoscaler has made as many Pods as it wants at least, and they are ready. */
  isScaled(): Promise<boolean>
}

const namespace = istioNames.namespaces.mesh
const account = { namespace, name: 'istiod' }
/** Longer than any test. */
const tokens = { seconds: 7_200 }

export const istiodMesh = async (t: Test): Promise<IstiodMesh> => {
  const dir = scratchFolder()
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  let running: Running | undefined
  t.teardown(() => running?.process.end('SIGKILL'))
  const proxy = await serviceProxy(dir, async address =>
    (await serviceAt(ground.client, address)) === `${namespace}/istiod:443` ? running?.webhooks : undefined,
  )
  t.teardown(() => proxy.close())
  const ground = await istioGround(t, { apiServerFlags: [`--egress-selector-config-file=${proxy.file}`] })
  const logFile = join(dir, 'istiod.log')
  let life = 0
  return {
    ...ground,
    startIstiod: async () => {
      await running?.process.end('SIGTERM')
      const place = join(dir, `life-${life++}`)
      mkdirSync(place)
      running = await started(ground, { place, logFile })
      await isReady(running, logFile)
    },
    isScaled: () => isScaled(ground.client),
  }
}

type Running = { readonly process: LifelinedProcess; readonly webhooks: number; readonly health: number }
type Place = { readonly place: string; readonly logFile: string }

const started = async ({ client, cluster }: IstioGround, { place, logFile }: Place): Promise<Running> => {
  const deployment = await client.get(meshWorkload('istiod'))
  const [pod] = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: 'app=istiod' })
  if (!deployment || !pod) throw new Error('there is no istiod')
  const [health = 0, webhooks = 0, ...others] = await freePorts(6)
  const at = (port = 0) => `127.0.0.1:${port}`
  const [grpc, secureGrpc, monitoring, introspection] = others
  const flags = {
    httpAddr: at(health),
    httpsAddr: at(webhooks),
    grpcAddr: at(grpc),
    secureGRPCAddr: at(secureGrpc),
    monitoringAddr: at(monitoring),
    ctrlz_port: String(introspection),
  }
  const find: FindMounted = (kind, name) => client.get({ apiVersion: 'v1', kind, namespace, name })
  // The image begins with the program: the first argument is its subcommand.
  const { program, args } = await processOfPod(deployment, { dir: place, find, hosts: {}, flags })
  const kubeconfig = join(place, 'kubeconfig')
  writeFileSync(kubeconfig, await serviceAccountKubeconfig(cluster, account, tokens))
  const token = await serviceAccountToken(cluster, account, { ...tokens, audience: 'istio-ca' })
  writeFileSync(join(place, 'var/run/secrets/tokens/istio-token'), token)
  const log = openSync(logFile, 'a')
  const process = startLifelined({
    program: partPath('istiod'),
    args: [program, ...args],
    // What a Pod finds by itself, its cluster, it finds here.
    env: { ...variables(pod), KUBECONFIG: kubeconfig },
    folder: place,
    stdio: ['ignore', log, log],
  })
  return { process, webhooks, health }
}

/** Of the first container. */
const variables = (pod: KubeObject): Record<string, string> => {
  const [container] = mapsIn(valueAt(pod.spec, 'containers'))
  return Object.fromEntries(mapsIn(container?.env).map(row => [String(row.name), variable(pod, container, row)]))
}

const variable = (pod: KubeObject, container: JsonMap | undefined, row: JsonMap): string => {
  const field = valueAt(row, 'valueFrom', 'fieldRef', 'fieldPath')
  if (isText(field)) return String(valueAt(pod, ...field.split('.')))
  const resource = valueAt(row, 'valueFrom', 'resourceFieldRef', 'resource')
  if (!isText(resource)) return String(row.value ?? '')
  return String(Math.ceil(quantityAmount(String(valueAt(container?.resources, ...resource.split('.')))) ?? 0))
}

const isReady = async ({ health, process }: Running, logFile: string): Promise<void> => {
  const gone = process.ended.then(code => {
    throw new Error(`istiod ended with ${code}:\n${readFileSync(logFile, 'utf8').slice(-4_000)}`)
  })
  const ready = eventually('istiod is ready', () =>
    fetch(`http://127.0.0.1:${health}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  await Promise.race([ready, gone])
}

const isScaled = async (client: Client): Promise<boolean> => {
  const found = await client.list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace })
  const ready = await Promise.all(
    found.map(async ({ spec }) => {
      const { minReplicas, scaleTargetRef } = mapOrEmpty(spec)
      const target = await client.get(meshWorkload(String(mapOrEmpty(scaleTargetRef).name)))
      return valueAt(target?.status, 'readyReplicas') === minReplicas
    }),
  )
  return ready.length > 0 && ready.every(Boolean)
}
