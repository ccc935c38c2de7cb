// The book of a Garden's keys: who looks after every write sees each generated Secret there ever was, and at each of these moments whether
// a key is missing somewhere that is in use.
import { isDeepStrictEqual } from 'node:util'
import { gardenNamespace as namespace } from '../../../shared/api/garden.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { configName, encryptionKeyNames, keyFaults } from './key-faults.ts'
import { deploymentRef } from './live-workloads.ts'

export type KeyLedger = {
  /** Rejects when a key is missing at this moment, or one was made again. */
  look(): Promise<void>
  /** From now on the newest root of each kind, and none before it, must be known wherever roots of its kind are. */
  keep(): void
  /** From now on roots may go. */
  letGo(): void
  /** The root of this name that was made last. */
  newest(name: string): KubeObject | undefined
  /** How many Secrets were made since it was asked last, by the name in their configuration. */
  made(): Record<string, number>
}

/** Those of which a rotation makes others. */
export const rootNames = [
  ...['ca', 'ca-client', 'ca-front-proxy', 'ca-etcd', 'ca-etcd-peer', 'ca-gardener', 'service-account-key'],
  'gardener-apiserver-workload-identity-signing-key',
  ...encryptionKeyNames,
]

/** `client` reads past whoever dies. */
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
      // What is mounted was made before: Pods are read last.
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

/** Reads objects of the namespace; what has not changed since it was read last is not sent again. */
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

/** Of the rotation that it was made in. */
const startOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.['last-rotation-initiation-time'] ?? 0)
