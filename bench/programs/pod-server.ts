// Answers lists of Pods, and of the workloads that own them, as an API server of a large mesh would: made up as they are asked for.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../measure/worker.ts'

export type Mesh = {
  readonly pods: number
  readonly bytesPerPod: number
  /** Every so many Pods one has an old sidecar; each of these is the only one of its Deployment. */
  readonly everyStale: number
  readonly podsPerNamespace: number
  readonly wishedImage: string
}

const made = '2026-01-01T00:00:00Z'
const named = (name: string, namespace: string) => ({
  name,
  namespace,
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: made,
})
const owner = (kind: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
})

const podOf = (mesh: Mesh, number: number) => {
  const isStale = number % mesh.everyStale === 0
  const name = `shop-${number}`
  const pod = {
    metadata: {
      ...named(`${name}-a-1`, `team-${Math.floor(number / mesh.podsPerNamespace)}`),
      annotations: { 'sidecar.istio.io/status': '{}', 'example.com/filling': '' },
      ownerReferences: [owner('ReplicaSet', `${name}-a`)],
    },
    spec: { containers: [{ name: 'istio-proxy', image: isStale ? 'proxyv2:1.29.5' : mesh.wishedImage }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }
  const missing = mesh.bytesPerPod - JSON.stringify(pod).length
  pod.metadata.annotations['example.com/filling'] = 'x'.repeat(Math.max(missing, 0))
  return pod
}

/** Restarted an hour ago, and not cured: nobody is restarted again, so that all Pods are looked at. */
const deploymentOf = (number: number, namespace: string) => ({
  metadata: named(`shop-${number}`, namespace),
  spec: {
    template: { metadata: { annotations: { 'istio-operator.kyma-project.io/restartedAt': '2026-01-02T00:00:00Z' } } },
  },
})

const replicaSetOf = (number: number, namespace: string) => ({
  metadata: { ...named(`shop-${number}-a`, namespace), ownerReferences: [owner('Deployment', `shop-${number}`)] },
  status: { replicas: 1, readyReplicas: 1 },
})

const answer = (mesh: Mesh, { pathname, searchParams }: URL): unknown => {
  const [, , , , , namespace = '', plural = ''] = pathname.split('/')
  if (pathname === '/api/v1/pods') return page(mesh, searchParams)
  const first = Number(namespace.slice('team-'.length)) * mesh.podsPerNamespace
  const numbers = Array.from({ length: mesh.podsPerNamespace }, (_, at) => first + at)
  const items = { deployments: deploymentOf, replicasets: replicaSetOf }[plural]
  return { metadata: { resourceVersion: '1' }, items: items ? numbers.map(number => items(number, namespace)) : [] }
}

const page = (mesh: Mesh, asked: URLSearchParams) => {
  const from = Number(asked.get('continue') ?? 0)
  const to = Math.min(from + Number(asked.get('limit') ?? mesh.pods), mesh.pods)
  const items = Array.from({ length: to - from }, (_, at) => podOf(mesh, from + at))
  return { metadata: { resourceVersion: '1', ...(to < mesh.pods && { continue: String(to) }) }, items }
}

const commands = {
  listen: async (mesh: Mesh): Promise<string> => {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer(mesh, new URL(request.url ?? '', 'http://server'))))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
}

export type PodServer = typeof commands

serveParent(commands)
