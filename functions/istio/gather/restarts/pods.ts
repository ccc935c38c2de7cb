// Reads Pods page by page for a survey, and once for each namespace with stale Pods the workloads that may own them. Only what decisions need
// is kept of a page, and reading ends when enough owners for one call are found.
import type { Log } from '../../../../shared/core/log.ts'
import { type KubeObject, keyText } from '../../../../shared/core/objects/object.ts'
import { atOnce } from '../../../../shared/kube/at-once.ts'
import type { ReadClient } from '../../../../shared/kube/client-types.ts'
import { isGone } from '../../../../shared/kube/errors.ts'
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

/** If the list expires between two pages (410 Gone), it is read once more from the start. */
export const surveyPods = async (cluster: Cluster, surveying: Surveying): Promise<Survey> => {
  try {
    return await survey(cluster, surveying)
  } catch (error) {
    if (!isGone(error)) throw error
    return survey(cluster, surveying)
  }
}

type Looking = Surveying & {
  readonly cluster: Cluster
  readonly survey: PodSurvey
  /** The kinds of workloads that were read, by namespace. */
  readonly known: Set<string>
}

const survey = async (cluster: Cluster, surveying: Surveying): Promise<Survey> => {
  const looking = { ...surveying, cluster, survey: new PodSurvey(surveying), known: new Set<string>() }
  const isThrough = await look(looking, {}, () => looking.survey.isFull)
  if (!isThrough) for (const namespace of firstNamespaces) await look(looking, { namespace }, () => false)
  return looking.survey.result(isThrough)
}

const podsPerPage = 100

/** Whether all Pods of this part of the list were read. */
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

/** The kinds to read for a Pod whose owner is of a kind: a ReplicaSet may belong to a Deployment. */
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

/** How many names a line of the log has: there may be a hundred thousand, and log collectors cut longer lines. */
const namedPerLine = 50

/** Logs all workloads that cannot be restarted, with the reason: a status has room for few names. */
export const logStuck = (stuck: readonly StuckOwner[], log: Log, message: string): void => {
  const named = stuck.map(({ owner, why }) => ({ workload: keyText(owner.key), why }))
  for (let at = 0; at < named.length; at += namedPerLine)
    log.warn({ workloads: named.slice(at, at + namedPerLine) }, message)
}
