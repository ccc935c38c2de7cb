// Changes of fields that begin while the mesh is being installed: Pods that start from then on have them, though nothing is restarted before
// all is ready.
import { kubeTime } from '../../../../shared/core/kube-time.ts'
import type { Istio } from '../../world.ts'
import { areFieldsChanging } from './fields.ts'
import type { RestartNote, RestartTarget } from './targets.ts'

/** Notes of those that no note tells yet. */
export const begunChanges = (istio: Istio, now: Date): RestartNote[] =>
  targets.flatMap(target => {
    const note = istio.status?.restarts?.find(one => one.target === target)
    if (note?.changingSince !== undefined || !areFieldsChanging(target, istio)) return []
    return [{ ...(note ?? { target, digest: '', since: kubeTime(now) }), changingSince: kubeTime(now) }]
  })

const targets = ['ingressGateway', 'sidecars', 'controlPlane'] as const satisfies RestartTarget[]
