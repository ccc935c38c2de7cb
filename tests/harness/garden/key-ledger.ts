// A record of a Garden's keys. If it looks after every write, it sees each generated Secret that ever existed, and whether a key that is in use is
// missing at any of these moments.
import { isDeepStrictEqual } from 'node:util'
import { gardenNamespace as namespace } from '../../../shared/api/garden.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { configName, encryptionKeyNames, keyFaults } from './key-faults.ts'
import { deploymentRef } from './live-workloads.ts'

export type KeyLedger = {
  /** Rejects if a key is missing at this moment, or was made again. */
  look(): Promise<void>
  /** From now on, programs that know roots of a kind must know its newest root; older ones are not required. */
  keep(): void
  /** From now on, roots may disappear. */
  letGo(): void
  /** The newest root of this name. */
  newest(name: string): KubeObject | undefined
  /** How many Secrets were made since the last call, by the name in their configuration. */
  made(): Record<string, number>
}

/** The Secrets that a rotation renews. */
export const rootNames = [
  ...['ca', 'ca-client', 'ca-front-proxy', 'ca-etcd', 'ca-etcd-peer', 'ca-gardener', 'service-account-key'],
  'gardener-apiserver-workload-identity-signing-key',
  ...encryptionKeyNames,
]

/** `client` must survive the processes that die. */
export const keyLedger = (client: Client): KeyLedger => {
  const read = readerOf(client)
  const secrets = new Map<string, KubeObject>()
  let [kept, unasked] = [[] as KubeObject[], [] as KubeObject[]]

  const note = (secret: KubeObject): void => {
    const { name } = secret.metadata
    const before = secrets.get(name)
    if (before && isSame(before, secret)) return
    secrets.set(name, secret)
    if (!isGenerated(secret)) return
    if (before) throw new Error(`Secret ${name} was made a second time`)
    unasked.push(secret)
  }

  const newest = (name: string): KubeObject | undefined =>
    [...secrets.values()]
      .filter(one => configName(one) === name)
      .toSorted((one, other) => startOf(one) - startOf(other))
      .at(-1)

  return {
    newest,
    look: async () => {
      // Mounted Secrets were made before their Pods, so Pods are read last.
      const found = await read({ apiVersion: 'v1', kind: 'Secret' })
      const server = await client.get(deploymentRef('virtual-garden-kube-apiserver'))
      const pods = await read({ apiVersion: 'v1', kind: 'Pod' })
      for (const secret of found.filter(({ immutable }) => immutable === true)) note(secret)
      const tokens = found.filter(isToken)
      const faults = keyFaults({ secrets, pods, kept, tokens, server })
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
    keep: () => {
      kept = rootNames.flatMap(name => newest(name) ?? [])
    },
    letGo: () => {
      kept = []
    },
    made: () => {
      const names = Object.groupBy(unasked, configName)
      unasked = []
      return Object.fromEntries(Object.entries(names).map(([name, all = []]) => [name, all.length]))
    },
  }
}

/** Reads objects of the namespace. An object that has not changed since the last read is not sent again. */
const readerOf = (client: Client) => {
  const known = new Map<string, KubeObject>()
  const whole = async (kind: GroupVersionKind, { metadata }: KubeObject): Promise<KubeObject[]> => {
    const id = `${metadata.uid} ${metadata.resourceVersion}`
    const object = known.get(id) ?? (await client.get({ ...kind, namespace, name: metadata.name }))
    if (object) known.set(id, object)
    return object ? [object] : []
  }
  return async (kind: GroupVersionKind): Promise<KubeObject[]> => {
    const found = await client.list({ ...kind, namespace, metadataOnly: true })
    const wanted = found.filter(({ metadata }) => !metadata.name.startsWith('managedresource-'))
    return (await Promise.all(wanted.map(object => whole(kind, object)))).flat()
  }
}

const isSame = (one: KubeObject, other: KubeObject): boolean =>
  one.metadata.uid === other.metadata.uid && isDeepStrictEqual(one.data, other.data)

const isGenerated = ({ metadata }: KubeObject): boolean => metadata.labels?.['managed-by'] === 'secrets-manager'

const isToken = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.['resources.gardener.cloud/purpose'] === 'token-requestor' &&
  metadata.labels['resources.gardener.cloud/class'] === 'shoot'

/** When the rotation began in which the Secret was made. */
const startOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.['last-rotation-initiation-time'] ?? 0)
