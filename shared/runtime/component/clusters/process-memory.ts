// What a process keeps between calls because asking again would cost requests: who this cluster is, clients of remote
// clusters, what a cluster serves. All of it is found again by a process that has lost it.

import type { Client } from '../../../kube/client-types.ts'
import { type KubeconfigClients, kubeconfigClients } from '../../../kube/kubeconfigs/clients.ts'
import type { TargetCluster } from '../../../render/generator.ts'
import type { ResidenceKey } from '../../definition.ts'
import { type KeptManifests, keptManifests } from '../rendering/kept-manifests.ts'

export type Residence = {
  /** Uid of the namespace kube-system, which lives as long as its cluster. */
  clusterUid(local: Client): Promise<string>
  readonly clients: KubeconfigClients
  renderKey(read: () => Promise<Buffer>): Promise<Buffer>
  /** What the cluster of this name serves. Kept for a minute: kinds may have been installed since. */
  served(name: string, ask: () => Promise<TargetCluster>): Promise<TargetCluster>
  /** The same as far as it is known; undefined when it would be asked for. */
  servedLately(name: string): TargetCluster | undefined
  readonly manifests: KeptManifests
}

/** One per host process. */
export const residences = (): ((key: ResidenceKey) => Residence) => {
  const known = new WeakMap<ResidenceKey, Residence>()
  return key => {
    const residence = known.get(key) ?? newResidence(key)
    known.set(key, residence)
    return residence
  }
}

const freshMilliseconds = 60_000

type Serving = { readonly until: number; readonly answer: Promise<TargetCluster>; known?: TargetCluster }

const newResidence = ({ clientOptions }: ResidenceKey): Residence => {
  const serving = new Map<string, Serving>()
  const clusterUid = askedOnce<string>()
  const renderKey = askedOnce<Buffer>()
  return {
    clusterUid: local => clusterUid(() => uidOf(local)),
    clients: kubeconfigClients(clientOptions),
    renderKey,
    served: (name, ask) => {
      const before = serving.get(name)
      if (before && before.until > performance.now()) return before.answer
      const asked: Serving = { until: performance.now() + freshMilliseconds, answer: ask() }
      serving.set(name, asked)
      asked.answer.then(
        known => {
          asked.known = known
        },
        () => serving.delete(name),
      )
      return asked.answer
    },
    servedLately: name => {
      const before = serving.get(name)
      return before && before.until > performance.now() ? before.known : undefined
    },
    manifests: keptManifests(),
  }
}

/** What never changes: calls that begin at once share one question. Who comes after a failure asks again. */
const askedOnce = <Answer>() => {
  let answer: Promise<Answer> | undefined
  return (ask: () => Promise<Answer>): Promise<Answer> => {
    answer ??= ask().catch(error => {
      answer = undefined
      throw error
    })
    return answer
  }
}

const uidOf = async (local: Client): Promise<string> => {
  const { uid } =
    (await local.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata ?? {}
  if (uid === undefined) throw new Error('this cluster has no namespace kube-system')
  return uid
}
