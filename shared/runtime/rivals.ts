// Reads whether a runtime is another Kyma's.
import { kymaNames } from '../api/kyma/names.ts'
import { kymaKind } from '../api/kyma.ts'
import { isDeleting, type Key, type KubeObject } from '../core/objects/object.ts'
import type { Reads } from '../kube/client-types.ts'
import { AccessError } from '../kube/errors.ts'
import { getIfServed, reading } from '../kube/reading.ts'
import type { Kyma } from '../kyma/kinds.ts'
import { isRemote, runtimeName, syncNamespace } from '../kyma/kyma-runtime.ts'
import { rivalNamed } from '../kyma/rivals.ts'
import type { GatherContext } from './context.ts'
import { clusterUidOf } from './process-memory.ts'

/** The copy of a Kyma in its runtime, which is in the Kyma's namespace there; undefined, too, while its kind is not served. */
export const readCopy = async (client: Pick<Reads, 'get'>, namespace: string): Promise<Kyma | undefined> =>
  (await getIfServed(client, { ...kymaKind, namespace, name: kymaNames.copyName })) as Kyma | undefined

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
 * access Secret, or one that leads to another cluster. If its cluster cannot be asked, the runtime stays whose it was; rejects if nobody
 * can say whether that Kyma lives.
 */
export const rivalOf = async (kyma: Key, { copy, reads, ...beside }: Looking): Promise<Key | undefined> => {
  const rival = rivalNamed(copy, kyma)
  if (!rival) return undefined
  const other = await reads.get({ ...kymaKind, ...rival }, { metadataOnly: true })
  if (other === undefined || isDeleting(other)) return undefined
  return (await mayLeadHere(rival.name, beside)) ? rival : undefined
}

/**
 * Whether the other Kyma has the same cluster, as far as that can be asked, in a namespace of its own there. A Kyma that is gone had a
 * runtime, and none has its namespace.
 */
export const isBeside = async (kyma: Kyma | undefined, other: Kyma, beside: Beside): Promise<boolean> => {
  const isHere = kyma !== undefined && !isRemote(kyma)
  if (isRemote(other) === isHere) return false
  if (isHere) return true
  return (
    (kyma === undefined || syncNamespace(other) !== syncNamespace(kyma)) && mayLeadHere(other.metadata.name, beside)
  )
}

/** False: the Kyma has no access Secret, or one that leads to another cluster. A cluster that cannot be asked may be this one. */
const mayLeadHere = async (kyma: string, { clusters, client }: Beside): Promise<boolean> => {
  try {
    const theirs = await clusters.of(runtimeName(kyma))
    const [there, here] = await Promise.all([reading(clusterUidOf(theirs)), reading(clusterUidOf(client))])
    return 'failed' in there || 'failed' in here || there.read === here.read
  } catch (error) {
    return !(error instanceof AccessError && error.reason === 'Missing')
  }
}
