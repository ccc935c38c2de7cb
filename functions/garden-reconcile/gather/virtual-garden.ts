// How the virtual garden is reached: with the kubeconfig of Secret gardener-internal, by the name `virtual-garden` in steps. It is read
// while a rotation goes on: what is stored encrypted there, and Seeds.
import { gardenNamespace as namespace } from '../../../shared/api/garden.ts'
import type { GardenInstallation } from '../../../shared/api/installation.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import { mapOrEmpty } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import type { Reading } from '../../../shared/core/reading.ts'
import type { Client, Clusters, Reads } from '../../../shared/kube/client-types.ts'
import { listIfServed, reading } from '../../../shared/kube/reading.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { kindText, type Objects } from '../rules/objects.ts'
import { virtualGardenCluster } from '../rules/rotation/encrypted-objects.ts'

type Reach = Pick<GatherContext, 'memory' | 'clusters'> & { readonly settings: GardenInstallation }

/** The clusters of a call, and the virtual garden beside them. Its kubeconfig is read once per call. */
export const withVirtualGarden = ({ memory, clusters, settings }: Reach): Clusters => {
  let client: Promise<Client> | undefined
  const reach = async (): Promise<Client> => {
    const text = kubeconfigIn(await (await clusters.of('local')).get(accessSecret))
    const called = `the kubeconfig of Secret ${namespace}/${accessSecret.name}`
    return memory.remoteClient({ text, called, allowedHosts: [host], dialAt: settings.virtualGardenAddress })
  }
  const virtual = () => {
    client ??= reach()
    return client
  }
  return { ...clusters, of: name => (name === virtualGardenCluster ? virtual() : clusters.of(name)) }
}

const accessSecret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'gardener-internal' }
const host = `virtual-garden-kube-apiserver.${namespace}.svc.cluster.local`

const kubeconfigIn = (secret: KubeObject | undefined): string =>
  Buffer.from(String(mapOrEmpty(secret?.data).kubeconfig ?? ''), 'base64').toString()

const core = 'core.gardener.cloud/v1beta1'

/** Of Seeds the metadata is all that counts, too. */
const virtualKinds = [
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'core.gardener.cloud/v1', kind: 'ControllerDeployment' },
  ...['ControllerRegistration', 'InternalSecret', 'ShootState', 'Seed'].map(kind => ({ apiVersion: core, kind })),
]

/** Absent while no rotation goes on. */
export const virtualObjects = async (garden: Garden, clusters: Clusters): Promise<Reading<Objects> | undefined> =>
  isRotating(garden) ? reading(clusters.of(virtualGardenCluster).then(read)) : undefined

const isRotating = ({ status }: Garden): boolean => {
  const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey } = status?.credentials?.rotation ?? {}
  return [certificateAuthorities, serviceAccountKey, etcdEncryptionKey].some(
    rotation => rotation?.phase === 'Preparing' || rotation?.phase === 'Completing',
  )
}

const read = async (reads: Reads): Promise<Objects> => {
  const lists = await Promise.all(
    virtualKinds.map(
      async kind => [kindText(kind), await listIfServed(reads, { ...kind, metadataOnly: true })] as const,
    ),
  )
  return new Map(lists.flatMap(([kind, objects]) => (objects ? [[kind, objects]] : [])))
}
