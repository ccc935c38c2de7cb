// The clusters of a Garden in a process of their own, so that the caller's CPU and memory are those of the function: an embedded runtime
// cluster with stand-ins, and the virtual garden that these start.
import { encryptedKinds } from '../../functions/garden-reconcile/rules/rotation/virtual-kinds.ts'
import { groupVersionOf, type KubeObject } from '../../shared/core/object.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { atOnce } from '../../shared/kube/at-once.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { runGardenStandIns } from '../../shared/main/garden-stand-ins.ts'
import { define } from '../../tests/harness/furnished.ts'
import { freePorts } from '../../tests/harness/ports.ts'
import { virtualGardenOf } from '../garden/virtual-garden.ts'
import { serveParent } from '../measure/worker.ts'

let began: { cluster: EmbeddedCluster; runtime: Client; port: number } | undefined

const ground = () => {
  if (began === undefined) throw new Error('there are no clusters yet')
  return began
}

const commands = {
  begin: async () => {
    const cluster = await startEmbeddedCluster({ node: true, resolveService: () => 'allows' })
    const [port = 0] = await freePorts(1)
    const { url, caCert, adminToken } = cluster
    const runtime = createClient({ server: url, credentials: () => ({ ca: caCert, token: adminToken }) })
    began = { cluster, runtime, port }
    return { url, caCert, adminToken, port }
  },
  runStandIns: (): void => {
    runGardenStandIns(ground().cluster, { host: '127.0.0.1', port: ground().port })
  },
  /** Grows with every change in the runtime cluster. */
  revision: (): string => ground().cluster.resourceVersion(),
  /** Serves what the virtual garden stores encrypted, and makes so many Secrets there. */
  fillVirtualGarden: async (secrets: number): Promise<void> => {
    const client = await virtualGardenOf(ground().runtime, `127.0.0.1:${ground().port}`)
    for (const kind of encryptedKinds['gardener-apiserver']) await define(client, definition(kind))
    const data = { text: Buffer.alloc(500, 'x').toString('base64') }
    const names = Array.from({ length: secrets }, (_, number) => `of-somebody-${number}`)
    const creations = names.map(name => () => client.create({ ...secret(name), data }, { fieldManager: 'somebody' }))
    await atOnce(creations, 16)
  },
}

const secret = (name: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } },
})

type Kind = (typeof encryptedKinds)['gardener-apiserver'][number]

const definition = ({ apiVersion, kind, plural }: Kind): KubeObject => {
  const { group, version } = groupVersionOf(apiVersion)
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  }
}

export type GardenClusters = typeof commands

serveParent(commands)
