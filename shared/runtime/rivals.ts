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
 * Whether two Kymas have the same cluster: both the control plane's own, or both one runtime, each with a namespace of its own there. A
 * runtime that cannot be asked counts as the same. `kyma` is undefined when it is gone: then it had a runtime, and nobody has its namespace.
 */
export const isBeside = async (kyma: Kyma | undefined, other: Kyma, beside: Beside): Promise<boolean> => {
  const isHere = kyma !== undefined && !isRemote(kyma)
  if (isRemote(other) === isHere) return false
  if (isHere) return true
  return (
    (kyma === undefined || syncNamespace(other) !== syncNamespace(kyma)) && mayLeadHere(other.metadata.name, beside)
  )
}

/** So many Kymas are asked, one by one. */
const askedMost = 10

/**
 * Those of these copies in a runtime that belong to other Kymas, also to one that goes, or whose access Secret is away for a while: what is one
 * for all Kymas of the runtime stays for them. Whoever owns the runtime can write any names into any number of copies, so they do not count
 * if there is no such Kyma, or if it has another cluster. Rejects if nobody can say whether there is one.
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

/** False: the Kyma has no access Secret, or one that leads to another cluster. A cluster that cannot be asked may be this one. */
const mayLeadHere = async (kyma: string, beside: Beside): Promise<boolean> => (await leadsTo(kyma, beside)) === 'here'

/** To which cluster the access Secret of a Kyma leads, compared with this one. */
const leadsTo = async (kyma: string, { clusters, client }: Beside): Promise<'here' | 'elsewhere' | 'nowhere'> => {
  try {
    const theirs = await clusters.of(runtimeName(kyma))
    const [there, here] = await Promise.all([reading(clusterUidOf(theirs)), reading(clusterUidOf(client))])
    return 'failed' in there || 'failed' in here || there.read === here.read ? 'here' : 'elsewhere'
  } catch (error) {
    return error instanceof AccessError && error.reason === 'Missing' ? 'nowhere' : 'here'
  }
}
