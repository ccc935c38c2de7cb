// Finds Pods whose sidecar must be replaced, up to the limit of one call. Normally a sidecar is replaced if it differs from the desired
// sidecar, once the status has noted the target. After a removal of the mesh, every sidecar is replaced. Pods are read page by page, and
// once per namespace the workloads that may own stale Pods. Memory holds only the fields that decisions need.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { Log } from '../../../shared/core/log.ts'
import { type KubeObject, keyText } from '../../../shared/core/objects/object.ts'
import { atOnce } from '../../../shared/kube/at-once.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { againIfGone, reading } from '../../../shared/kube/reading.ts'
import { installedObject } from '../rules/installed-objects.ts'
import { type SeenWorkload, seenWorkload } from '../rules/restarts/pod-owners.ts'
import {
  deletedPod,
  firstNamespaces,
  isStale,
  PodSurvey,
  restartId,
  type StuckOwner,
  type Survey,
  type SurveyBegun,
  showsProgress,
} from '../rules/restarts/pod-survey.ts'
import { type Noted, notedTarget, secondsAt, secondsOf } from '../rules/restarts/restart-notes.ts'
import { areFieldsChanging, desiredSidecar, wantedFields } from '../rules/restarts/restart-targets.ts'
import {
  type DesiredSidecar,
  formerSidecar,
  isAlive,
  type SeenPod,
  type Stale,
  seenPod,
  staleAgainst,
} from '../rules/restarts/stale-pod.ts'
import { strayVersion } from '../rules/version.ts'
import type { FormerSidecarsFacts, PodVersionsFacts, SidecarsFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

const { namespaces, labels, module } = istioNames
const meshConfig = { apiVersion: 'v1', kind: 'ConfigMap', namespace: namespaces.mesh, name: 'istio' }

/** The module's Pods in istio-system. */
export const readPodVersions = async ({ context: { reads } }: ReaderInput): Promise<PodVersionsFacts> => {
  const labelSelector = `${labels.module}=${module}`
  const pods = await reads.list({ apiVersion: 'v1', kind: 'Pod', namespace: namespaces.mesh, labelSelector })
  return { pods: pods.filter(isAlive) }
}

export const readSidecars = async (input: ReaderInput): Promise<SidecarsFacts> => {
  const { world, context, now, tried } = input
  const desired = desiredSidecar(world, installedObject(world.facts, meshConfig))
  if (desired === undefined) return { is: 'unknown' }
  const isChanging = areFieldsChanging('sidecars', world.istio)
  const wanted = { ...desired, ...wantedFields('sidecars', world.istio) }
  const noted = notedTarget(world.istio.status, { target: 'sidecars', wanted, isChanging }, now)
  if (noted.is !== 'noted') return unnoted(input, desired, noted)
  const stray = strayVersion(world.facts.podVersions?.pods ?? [], world.settings)
  if (stray !== undefined) return { is: 'surveyed', survey: { failed: stray }, hasActed: false }
  const { ended, since } = noted
  const hasActed = tried.size > 0
  const { attempts } = context.memory
  const wasRefused = (id: string) => attempts.get(id) === attemptAt(since)
  const survey = await surveyed(input, desired, { noted, wasRefused })
  if ('read' in survey) note(survey.read, since, input)
  return { is: 'surveyed', survey, hasActed, ...(ended && { ended }) }
}

/** If the note is missing or from this second, the mesh may be new. If no Pod needs a restart, later stages do not wait for the note. */
const unnoted = async (input: ReaderInput, desired: DesiredSidecar, noted: Noted): Promise<SidecarsFacts> => {
  if (!noted.isFirst && noted.is !== 'fresh') return { is: 'unnoted', noted }
  const survey = await surveyed(input, desired, { noted, wasRefused: () => false })
  const isClean =
    'read' in survey &&
    survey.read.due.length + survey.read.stuck.length === 0 &&
    !survey.read.isSettling &&
    !survey.read.isCutShort
  return isClean ? { is: 'surveyed', survey, hasActed: false, noted } : { is: 'unnoted', noted }
}

/**
 * While fields are changing, all Pods created before the note have old fields. If the change was reverted before it was in force, only Pods
 * created since the start of the change may have other fields. Example: trustDomain `a` becomes `b` at 10:00 and `a` again at 10:05; only
 * Pods created between 10:00 and 10:05 may have `b`.
 */
const surveyed = async (
  { world, context, now, tried }: ReaderInput,
  desired: DesiredSidecar,
  { noted: { since, ended }, wasRefused }: Pick<SurveyBegun, 'wasRefused'> & { readonly noted: Noted },
) => {
  const isChanging = areFieldsChanging('sidecars', world.istio)
  const change = isChanging || ended ? { from: ended?.begunAt ?? 0, until: since } : undefined
  const begun = { since, now: secondsOf(now), tried, wasRefused, isGivenUp: () => false }
  const staleOf = staleAgainst(desired, change)
  return reading(surveyPods(await context.clusters.of('local'), { ...begun, staleOf }))
}

const attemptAt = (since: number): string => `sidecars ${since}`

/** Records the restarts of this pass for later passes and calls, and logs workloads that cannot be restarted. */
const note = (survey: Survey, since: number, { context, tried, log }: ReaderInput): void => {
  for (const restart of survey.due) {
    tried.set(restart.owner.id, deletedPod(restart))
    context.memory.attempts.set(restartId(restart), attemptAt(since))
  }
  logStuck(survey.stuck, log, 'the sidecars of these workloads could not be restarted')
}

export const readFormerSidecars = async (input: ReaderInput): Promise<FormerSidecarsFacts> => {
  const { world, context, now, tried } = input
  const { deletionTimestamp, uid } = world.istio.metadata
  const { attempts } = context.memory
  const [first, second] = [`removal ${uid}`, `removal ${uid}, again`]
  // The deletion does not wait for a restart that was tried twice without effect.
  const isGivenUp = (id: string) => attempts.get(id) === second
  // deletionTimestamp has whole seconds. A Pod created in the same second counts as created after the deletion began.
  const since = (secondsAt(deletionTimestamp) ?? 0) - 1
  const begun = { since, now: secondsOf(now), tried, wasRefused: () => false, isGivenUp }
  const survey = await reading(surveyPods(await context.clusters.of('local'), { ...begun, staleOf: formerSidecar }))
  if ('failed' in survey) return { survey }
  const due = survey.read.due.filter(({ owner }) => !tried.has(owner.id))
  for (const restart of due) {
    const id = restartId(restart)
    tried.set(restart.owner.id, deletedPod(restart))
    attempts.set(id, attempts.get(id) === first ? second : first)
  }
  logStuck(survey.read.stuck, input.log, 'these workloads still have sidecars of the removed mesh')
  return { survey: { read: { due, isCutShort: survey.read.isCutShort } } }
}

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
const logStuck = (stuck: readonly StuckOwner[], log: Log, message: string): void => {
  const named = stuck.map(({ owner, why }) => ({ workload: keyText(owner.key), why }))
  for (let at = 0; at < named.length; at += namedPerLine)
    log.warn({ workloads: named.slice(at, at + namedPerLine) }, message)
}
