// Changes of fields while the mesh is still being installed. Nothing is restarted before the installation is ready, but Pods that start
// meanwhile have the new fields; so the status notes when the change began.
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import type { Istio } from '../../world.ts'
import type { RestartNote, RestartTarget } from './noted-targets.ts'
import { areFieldsChanging } from './restart-fields.ts'

/** Notes of the changes that the status does not have yet. */
export const begunChanges = (istio: Istio, now: Date): RestartNote[] =>
  targets.flatMap(target => {
    const note = istio.status?.restarts?.find(one => one.target === target)
    if (note?.changingSince !== undefined || !areFieldsChanging(target, istio)) return []
    return [{ ...(note ?? { target, digest: '', since: kubeTime(now) }), changingSince: kubeTime(now) }]
  })

const targets = ['ingressGateway', 'sidecars', 'controlPlane'] as const satisfies RestartTarget[]
