// Reads what sidecars should be like, and, once the status notes that, the Pods whose sidecars differ.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { reading } from '../../../../shared/kube/reading.ts'
import { installedObject } from '../../rules/installation/found-objects.ts'
import { notedTarget } from '../../rules/restarts/noted-targets.ts'
import { deletedPod, dueNow, restartId, type Survey } from '../../rules/restarts/pod-survey.ts'
import { areFieldsChanging } from '../../rules/restarts/restart-fields.ts'
import { secondsOf } from '../../rules/restarts/restart-times.ts'
import { lastingWish, sidecarsWanted, sidecarWish } from '../../rules/restarts/sidecar-wish.ts'
import { staleAgainst } from '../../rules/restarts/stale-pod.ts'
import { strayVersion } from '../../rules/stray-version.ts'
import type { SidecarsFacts } from '../../world.ts'
import type { ReaderInput } from '../reader-input.ts'
import { logStuck } from './log-stuck.ts'
import { surveyPods } from './pods.ts'

const meshConfig = { apiVersion: 'v1', kind: 'ConfigMap', namespace: istioNames.namespaces.mesh, name: 'istio' }

export const readSidecars = async (input: ReaderInput): Promise<SidecarsFacts> => {
  const { world, context, now, tried } = input
  const wish = lastingWish(world, installedObject(world.facts, meshConfig))
  if (wish === undefined) return { is: 'unknown' }
  const wanted = { wanted: sidecarsWanted(world, wish), isChanging: areFieldsChanging('sidecars', world.istio) }
  const noted = notedTarget(world.istio.status, { target: 'sidecars', ...wanted }, now)
  if (noted.is !== 'noted') return { is: 'unnoted', noted }
  const stray = strayVersion(world.facts.podVersions?.pods ?? [], world.settings)
  if (stray !== undefined) return { is: 'surveyed', survey: { failed: stray }, hasActed: false }
  const { since, ended } = noted
  const hasActed = tried.size > 0
  const { attempts } = context.memory
  const survey = await reading(
    surveyPods(await context.clusters.of('local'), {
      staleOf: staleAgainst(sidecarWish(world, wish, noted)),
      since,
      now: secondsOf(now),
      tried,
      wasRefused: id => attempts.get(id) === attemptAt(since),
      isGivenUp: () => false,
    }),
  )
  if ('read' in survey) note(survey.read, since, input)
  return { is: 'surveyed', survey, hasActed, ...(ended && { ended }) }
}

const attemptAt = (since: number): string => `sidecars ${since}`

/** Notes which restarts this pass tries, for later passes and calls, and logs all that cannot be restarted. */
const note = (survey: Survey, since: number, { context, tried, log }: ReaderInput): void => {
  for (const restart of dueNow(survey)) {
    tried.set(restart.owner.id, deletedPod(restart))
    context.memory.attempts.set(restartId(restart), attemptAt(since))
  }
  logStuck(survey.stuck, log, 'the sidecars of these workloads could not be restarted')
}
