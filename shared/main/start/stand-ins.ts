// Stand-ins for programs outside of the clusters of `npm start`: other operators that its Garden needs, and the registry of modules.
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { loadBalancer, runBackupSidecar } from '../../embedded/garden/backup-sidecar.ts'
import { druid } from '../../embedded/garden/druid.ts'
import { whileAvailable } from '../../embedded/garden/health.ts'
import { managedResources } from '../../embedded/garden/managed-resources.ts'
import { runStandIn } from '../../embedded/garden/stand-in.ts'
import { runVirtualGarden } from '../../embedded/garden/virtual-garden.ts'
import { accessHere } from '../../embedded/http/without-sockets.ts'
import type { EmbeddedCluster } from '../../embedded/start.ts'
import { createClient } from '../../kube/client/client.ts'
import { sha256 } from '../../outside/oci/pull.ts'

const namespace = 'garden'

/** The addresses of the virtual garden and the backup sidecar on this machine. */
type Address = { readonly host: string; readonly port: number; readonly sidecarPort: number }

/** Runs all stand-ins. The returned function stops them. */
export const runGardenStandIns = (cluster: EmbeddedCluster, at: Address): (() => Promise<void>) => {
  const runtime = createClient(accessHere(cluster))
  const inRuntime = (name: string) => ({ client: runtime, namespace, name })
  const seed = managedResources({ class: 'seed', source: runtime, target: runtime })
  const stops = [
    runStandIn(whileAvailable(druid(runtime), inRuntime('etcd-druid'))),
    runStandIn(whileAvailable(seed, inRuntime('gardener-resource-manager'))),
    runStandIn(loadBalancer(runtime)),
    runVirtualGarden({ runtime, namespace, ...at }),
    runBackupSidecar({ runtime, namespace, host: at.host, port: at.sidecarPort }),
  ]
  return async () => {
    await Promise.all(stops.map(stop => stop()))
    await runtime.close()
  }
}

type ModuleRegistry = {
  readonly address: string
  stop(): void
}

type Content = { readonly type: string; readonly body: Buffer }

/** `folder`: contains `MODULE/VERSION.yaml`, each file a layer. */
export const startModuleRegistry = async (folder: string, port = 0): Promise<ModuleRegistry> => {
  const content = new Map((await Promise.all(releasesIn(folder).map(contentOf))).flat())
  const server = createServer(({ url = '' }, response) => {
    const { type, body } = content.get(url) ?? {}
    response.writeHead(body ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Release = { readonly module: string; readonly version: string; readonly layer: Buffer }

const releasesIn = (folder: string): Release[] =>
  globSync('*/*.yaml', { cwd: folder }).map(path => ({
    module: dirname(path),
    version: basename(path, '.yaml'),
    layer: readFileSync(join(folder, path)),
  }))

/** A tag refers to a manifest, the manifest's config to the component's descriptor, and the descriptor to the layer. */
const contentOf = async (release: Release): Promise<[path: string, content: Content][]> => {
  const at = `/v2/component-descriptors/${componentOf(release)}`
  const descriptor = await inTar('component-descriptor.yaml', JSON.stringify(descriptorOf(release)))
  const config = Buffer.from(JSON.stringify({ componentDescriptorLayer: { digest: sha256(descriptor) } }))
  const type = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = { schemaVersion: 2, mediaType: type, config: { digest: sha256(config) }, layers: [] }
  const blobs = [descriptor, config, release.layer].map((body): [string, Content] => [
    `${at}/blobs/${sha256(body)}`,
    { type: 'application/octet-stream', body },
  ])
  return [...blobs, [`${at}/manifests/${release.version}`, { type, body: Buffer.from(JSON.stringify(manifest)) }]]
}

const componentOf = ({ module }: Release): string => `kyma-project.io/module/${module}`

const descriptorOf = (release: Release): object => ({
  meta: { schemaVersion: 'v2' },
  component: {
    name: componentOf(release),
    version: release.version,
    provider: 'kyma-project.io',
    repositoryContexts: [{ type: 'OCIRegistry', componentNameMapping: 'urlPath' }],
    resources: [
      {
        name: 'raw-manifest',
        version: release.version,
        type: 'yaml',
        relation: 'local',
        access: { type: 'localBlob', localReference: sha256(release.layer), mediaType: 'application/yaml' },
      },
    ],
  },
})

/** The bytes are the same in every run, so that digests do not change. */
const inTar = async (name: string, content: string): Promise<Buffer> => {
  const archive = pack()
  archive.entry({ name, mtime: new Date(0) }, content)
  archive.finalize()
  return buffer(archive)
}
