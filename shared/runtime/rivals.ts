// Reads whether a runtime is another Kyma's.
import { kymaNames } from '../api/kyma/names.ts'
import { kymaKind } from '../api/kyma.ts'
import { isDeleting, type Key, type KubeObject, type ObjectRef } from '../core/objects/object.ts'
import type { Reads } from '../kube/client-types.ts'
import { reading } from '../kube/reading.ts'
import { runtimeName } from '../kyma/kyma-runtime.ts'
import { rivalNamed } from '../kyma/rivals.ts'
import type { GatherContext } from './context.ts'

/** The copy of a Kyma in its runtime, which is in the Kyma's namespace there. */
export const copyRef = (namespace: string): ObjectRef => ({ ...kymaKind, namespace, name: kymaNames.copyName })

type Looking = Pick<GatherContext, 'reads' | 'clusters'> & {
  /** The runtime. */
  readonly client: Pick<Reads, 'get'>
  readonly copy: KubeObject | undefined
}

/**
 * Another living Kyma that has this copy. Whoever owns the runtime can write any name into it, so it counts only if that Kyma's access
 * Secret leads to the same cluster.
 */
export const rivalOf = async (kyma: Key, { copy, reads, clusters, client }: Looking): Promise<Key | undefined> => {
  const rival = rivalNamed(copy, kyma)
  if (!rival) return undefined
  const other = await reading(reads.get({ ...kymaKind, ...rival }, { metadataOnly: true }))
  if (!('read' in other) || other.read === undefined || isDeleting(other.read)) return undefined
  const theirs = await reading(clusters.of(runtimeName(rival.name)).then(uidOf))
  return 'read' in theirs && theirs.read === (await uidOf(client)) ? rival : undefined
}

const uidOf = async (cluster: Pick<Reads, 'get'>): Promise<string | undefined> =>
  (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata.uid
