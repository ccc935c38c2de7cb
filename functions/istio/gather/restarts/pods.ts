// Reads Pods page by page for a survey. Once per namespace, reads the workloads that may own stale Pods. Keeps only the fields that
// decisions need, and stops when one call has enough owners to restart.

import type { Log } from '../../../../shared/core/log.ts'
import { type KubeObject, keyText } from '../../../../shared/core/objects/object.ts'
import { atOnce } from '../../../../shared/kube/at-once.ts'
import type { ReadClient } from '../../../../shared/kube/client-types.ts'
import { againIfGone } from '../../../../shared/kube/reading.ts'
import {
  firstNamespaces,
  isStale,
  PodSurvey,
  type StuckOwner,
  type Survey,
  type SurveyBegun,
  showsProgress,
} from '../../rules/restarts/pod-survey.ts'
import { type SeenPod, type Stale, seenPod } from '../../rules/restarts/stale-pod.ts'
import { type SeenWorkload, seenWorkload } from '../../rules/restarts/workloads.ts'

type Cluster = Pick<ReadClient, 'pages' | 'list'>

type Surveying = SurveyBegun & {
  readonly staleOf: (pod: KubeObject) => Stale | undefined
}

/** Starts the survey again, but only once, if the list expires between two pages (410 Gone). */
export const surveyPods = (cluster: Cluster, surveying: Surveying): Promise<Survey> =>
  againIfGone(() => survey(cluster, surveying))

type Looking = Surveying & {
  readonly cluster: Cluster
  readonly survey: PodSurvey
  /** The kinds and namespaces of the workloads that were read. */
  readonly known: Set<string>
}

const survey = async (cluster: Cluster, surveying: Surveying): Promise<Survey> => {
  const looking = { ...surveying, cluster, survey: new PodSurvey(surveying), known: new Set<string>() }
  const isThrough = await look(looking, {}, () => looking.survey.isFull)
  if (!isThrough) for (const namespace of firstNamespaces) await look(looking, { namespace }, () => false)
  return looking.survey.result(isThrough)
}

const podsPerPage = 100

/** Returns whether all Pods of the part were read. */
const look = async (
  looking: Looking,
  part: { readonly namespace?: string },
  isEnough: () => boolean,
): Promise<boolean> => {
  const { cluster, survey, staleOf, now } = looking
  const keep = (pod: KubeObject): SeenPod | undefined => {
    const stale = staleOf(pod)
    return stale || showsProgress(pod, now) ? seenPod(pod, stale) : undefined
  }
  const query = { apiVersion: 'v1', kind: 'Pod', pageSize: podsPerPage, ...part, keep }
  for await (const { objects } of cluster.pages(query)) {
    const pods: readonly SeenPod[] = objects
    await readOwners(looking, pods.filter(isStale))
    survey.add(pods)
    if (isEnough()) return false
  }
  return true
}

type OwnedKind = { readonly kind: string; readonly metadataOnly?: true }

/** The kinds to read, by the kind of a Pod's owner. A ReplicaSet may belong to a Deployment. */
const kindsFor: Readonly<Record<string, readonly OwnedKind[]>> = {
  ReplicaSet: [{ kind: 'ReplicaSet' }, { kind: 'Deployment' }],
  Deployment: [{ kind: 'ReplicaSet' }, { kind: 'Deployment' }],
  StatefulSet: [{ kind: 'StatefulSet' }, { kind: 'ControllerRevision', metadataOnly: true }],
  DaemonSet: [{ kind: 'DaemonSet' }, { kind: 'ControllerRevision', metadataOnly: true }],
}

const listsAtOnce = 8

const readOwners = async ({ cluster, survey, known }: Looking, pods: readonly SeenPod[]): Promise<void> => {
  const tasks: (() => Promise<void>)[] = []
  for (const { metadata, owner } of pods) {
    const kinds = owner && Object.hasOwn(kindsFor, owner.kind) ? (kindsFor[owner.kind] ?? []) : []
    for (const owned of kinds) {
      const { namespace } = metadata
      const name = `${owned.kind} ${namespace}`
      if (known.has(name)) continue
      known.add(name)
      const query = { apiVersion: 'apps/v1', ...owned, namespace, keep: seenWorkload }
      tasks.push(async () => survey.addWorkloads((await cluster.list(query)) as SeenWorkload[]))
    }
  }
  await atOnce(tasks, listsAtOnce)
}

/** Names per log line. There may be a hundred thousand names, and log collectors cut long lines. */
const namedPerLine = 50

/** Logs all workloads that cannot be restarted, because a status has room for few names. */
export const logStuck = (stuck: readonly StuckOwner[], log: Log, message: string): void => {
  const named = stuck.map(({ owner, why }) => ({ workload: keyText(owner.key), why }))
  for (let at = 0; at < named.length; at += namedPerLine)
    log.warn({ workloads: named.slice(at, at + namedPerLine) }, message)
}
