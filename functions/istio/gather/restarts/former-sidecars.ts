// Reads Pods that still have a sidecar of the removed mesh, as many as are restarted in this call.
import { reading } from '../../../../shared/kube/reading.ts'
import { formerSidecar } from '../../rules/restarts/former-sidecars.ts'
import { deletedPod, restartId } from '../../rules/restarts/pod-survey.ts'
import { secondsAt, secondsOf } from '../../rules/restarts/restart-times.ts'
import type { FormerSidecarsFacts } from '../../world.ts'
import type { ReaderInput } from '../reader-input.ts'
import { logStuck } from './log-stuck.ts'
import { surveyPods } from './pods.ts'

export const readFormerSidecars = async (input: ReaderInput): Promise<FormerSidecarsFacts> => {
  const { world, context, now, tried } = input
  const { deletionTimestamp, uid } = world.istio.metadata
  const { attempts } = context.memory
  const [first, second] = [`removal ${uid}`, `removal ${uid}, again`]
  // A restart that was tried twice without effect is not waited for.
  const isGivenUp = (id: string) => attempts.get(id) === second
  // A Pod made in the very second of the deletion counts as made after it.
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
  logStuck(survey.read.stuck, input.log, 'these workloads keep sidecars of the mesh that was removed')
  return { survey: { read: { due, isCutShort: survey.read.isCutShort } } }
}
