// Finds Pods whose sidecar must be replaced, up to the limit of one call. Normally a sidecar is replaced if it differs from the desired
// sidecar, once the status has noted the target. After a removal of the mesh, every sidecar is replaced.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { reading } from '../../../../shared/kube/reading.ts'
import { installedObject } from '../../rules/installation/found-objects.ts'
import { desiredSidecar } from '../../rules/restarts/desired-sidecar.ts'
import { deletedPod, restartId, type Survey, type SurveyBegun } from '../../rules/restarts/pod-survey.ts'
import { areFieldsChanging, wantedFields } from '../../rules/restarts/restart-fields.ts'
import { type Noted, notedTarget, secondsAt, secondsOf } from '../../rules/restarts/restart-notes.ts'
import { type DesiredSidecar, formerSidecar, staleAgainst } from '../../rules/restarts/stale-pod.ts'
import { strayVersion } from '../../rules/version.ts'
import type { FormerSidecarsFacts, SidecarsFacts } from '../../world.ts'
import type { ReaderInput } from '../reader-input.ts'
import { logStuck, surveyPods } from './pods.ts'

const meshConfig = { apiVersion: 'v1', kind: 'ConfigMap', namespace: istioNames.namespaces.mesh, name: 'istio' }

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

type Surveying = Pick<SurveyBegun, 'wasRefused'> & { readonly noted: Noted }

/**
 * While fields are changing, all Pods created before the note have old fields. If the change was reverted before it was in force, only Pods
 * created since the start of the change may have other fields. Example: trustDomain `a` becomes `b` at 10:00 and `a` again at 10:05; only
 * Pods created between 10:00 and 10:05 may have `b`.
 */
const surveyed = async (
  { world, context, now, tried }: ReaderInput,
  desired: DesiredSidecar,
  { noted: { since, ended }, wasRefused }: Surveying,
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
