// Reads whether a runtime is another Kyma's.
import { kymaNames } from '../api/kyma/names.ts'
import { kymaKind } from '../api/kyma.ts'
import { isDeleting, type Key, type KubeObject, type ObjectRef } from '../core/objects/object.ts'
import type { Clusters, Reads } from '../kube/client-types.ts'
import { AccessError } from '../kube/errors.ts'
import { reading } from '../kube/reading.ts'
import type { Kyma } from '../kyma/kinds.ts'
import { isRemote, runtimeName, syncNamespace } from '../kyma/kyma-runtime.ts'
import { rivalNamed } from '../kyma/rivals.ts'
import type { GatherContext } from './context.ts'

/** The copy of a Kyma in its runtime, which is in the Kyma's namespace there. */
export const copyRef = (namespace: string): ObjectRef => ({ ...kymaKind, namespace, name: kymaNames.copyName })

type Beside = Pick<GatherContext, 'clusters'> & {
  /** The runtime. */
  readonly client: Pick<Reads, 'get'>
}

type Looking = Beside & {
  readonly reads: Reads
  readonly copy: KubeObject | undefined
}

/**
 * Another living Kyma that has this copy. Whoever owns the runtime can write any name into it, so it does not count if that Kyma has no
 * access Secret, or one that leads to another cluster. If that cluster cannot be asked, the runtime stays whose it was.
 */
export const rivalOf = async (kyma: Key, { copy, reads, clusters, client }: Looking): Promise<Key | undefined> => {
  const rival = rivalNamed(copy, kyma)
  if (!rival) return undefined
  const other = await reading(reads.get({ ...kymaKind, ...rival }, { metadataOnly: true }))
  if (!('read' in other) || other.read === undefined || isDeleting(other.read)) return undefined
  const theirs = await uidBehind(rival.name, clusters)
  return theirs === 'unknown' || theirs === (await uidOf(client)) ? rival : undefined
}

/** Of the cluster that the Kyma's access Secret leads to; undefined: there is none. */
const uidBehind = async (kyma: string, clusters: Clusters): Promise<string | undefined> => {
  try {
    return await uidOf(await clusters.of(runtimeName(kyma)))
  } catch (error) {
    return error instanceof AccessError && error.reason === 'Missing' ? undefined : 'unknown'
  }
}

/** Whether the other Kyma lives and has the same cluster, in a namespace of its own there. */
export const isBeside = async (kyma: Kyma, other: Kyma, { clusters, client }: Beside): Promise<boolean> => {
  if (isDeleting(other) || isRemote(other) !== isRemote(kyma)) return false
  if (!isRemote(other)) return true
  if (syncNamespace(other) === syncNamespace(kyma)) return false
  return (await uidBehind(other.metadata.name, clusters)) === (await uidOf(client))
}

const uidOf = async (cluster: Pick<Reads, 'get'>): Promise<string | undefined> =>
  (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata.uid
