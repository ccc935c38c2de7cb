// Finds out whether a runtime belongs to another Kyma.
import { kymaNames } from '../api/kyma/names.ts'
import { kymaKind } from '../api/kyma.ts'
import { isDeleting, type Key, type KubeObject } from '../core/objects/object.ts'
import type { Reads } from '../kube/client-types.ts'
import { AccessError } from '../kube/errors.ts'
import { getIfServed, reading } from '../kube/reading.ts'
import type { Kyma } from '../kyma/kinds.ts'
import { isRemote, rivalNamed, runtimeName, syncNamespace } from '../kyma/kyma-runtime.ts'
import type { GatherContext } from './context.ts'
import { clusterUidOf } from './process-memory.ts'

/** The copy of a Kyma in its runtime; undefined also when its kind is not served. */
export const readCopy = async (client: Pick<Reads, 'get'>, namespace: string): Promise<Kyma | undefined> =>
  (await getIfServed(client, { ...kymaKind, namespace, name: kymaNames.copyName })) as Kyma | undefined

type Beside = Pick<GatherContext, 'clusters'> & {
  readonly client: Pick<Reads, 'get'>
}

type Looking = Beside & {
  readonly reads: Reads
  readonly copy: KubeObject | undefined
}

/**
 * Finds another existing Kyma to which this copy belongs. The owner of the runtime can write any name into the copy. So the other Kyma
 * counts only if its access Secret leads to the same cluster, or to an unreachable cluster. Rejects if the other Kyma cannot be read.
 */
export const rivalOf = async (kyma: Key, { copy, reads, ...beside }: Looking): Promise<Key | undefined> => {
  const rival = rivalNamed(copy, kyma)
  if (!rival) return undefined
  const other = await reads.get({ ...kymaKind, ...rival }, { metadataOnly: true })
  if (other === undefined || isDeleting(other)) return undefined
  return (await mayLeadHere(rival.name, beside)) ? rival : undefined
}

/**
 * Whether two Kymas use the same cluster: both the control plane, or both the same runtime with different namespaces. An unreachable
 * runtime counts as the same. If `kyma` is gone, it is undefined: the Kyma had a runtime, and other Kymas may use its namespace.
 */
export const isBeside = async (kyma: Kyma | undefined, other: Kyma, beside: Beside): Promise<boolean> => {
  const isHere = kyma !== undefined && !isRemote(kyma)
  if (isRemote(other) === isHere) return false
  if (isHere) return true
  return (
    (kyma === undefined || syncNamespace(other) !== syncNamespace(kyma)) && mayLeadHere(other.metadata.name, beside)
  )
}

/** Up to this number, Kymas are read individually. */
const askedMost = 10

/**
 * The copies that belong to other Kymas, even if such a Kyma is being deleted or temporarily has no access Secret. Objects shared by all
 * Kymas of the runtime stay for these Kymas. The owner of the runtime can write any copies, so a copy counts only if its Kyma exists and
 * has no other cluster. Rejects if the Kymas cannot be read.
 */
export const copiesOfOthers = async (
  copies: readonly KubeObject[],
  kyma: Key,
  { reads, ...beside }: Omit<Looking, 'copy'>,
): Promise<readonly KubeObject[]> => {
  const owned = copies.flatMap(copy => {
    const owner = rivalNamed(copy, kyma)
    return owner ? [{ copy, owner: owner.name }] : []
  })
  const living = await namesOfLiving(new Set(owned.map(({ owner }) => owner)), { ...kyma, reads })
  const asked = living
    .slice(0, askedMost)
    .map(async name => ((await leadsTo(name, beside)) === 'elsewhere' ? name : []))
  const elsewhere = (await Promise.all(asked)).flat()
  return owned.filter(({ owner }) => living.includes(owner) && !elsewhere.includes(owner)).map(({ copy }) => copy)
}

const namesOfLiving = async (
  names: ReadonlySet<string>,
  { namespace, reads }: { readonly namespace: string; readonly reads: Reads },
): Promise<readonly string[]> => {
  const kymas =
    names.size > askedMost
      ? await reads.list({ ...kymaKind, namespace, metadataOnly: true })
      : await Promise.all([...names].map(name => reads.get({ ...kymaKind, namespace, name }, { metadataOnly: true })))
  return kymas.flatMap(found => (found && names.has(found.metadata.name) ? [found.metadata.name] : []))
}

/** False without an access Secret, or if the Secret leads to another cluster. An unreachable cluster may be this cluster. */
const mayLeadHere = async (kyma: string, beside: Beside): Promise<boolean> => (await leadsTo(kyma, beside)) === 'here'

/** Compares the cluster in the access Secret of a Kyma with this cluster. */
const leadsTo = async (kyma: string, { clusters, client }: Beside): Promise<'here' | 'elsewhere' | 'nowhere'> => {
  try {
    const theirs = await clusters.of(runtimeName(kyma))
    const [there, here] = await Promise.all([reading(clusterUidOf(theirs)), reading(clusterUidOf(client))])
    return 'failed' in there || 'failed' in here || there.read === here.read ? 'here' : 'elsewhere'
  } catch (error) {
    return error instanceof AccessError && error.reason === 'Missing' ? 'nowhere' : 'here'
  }
}
