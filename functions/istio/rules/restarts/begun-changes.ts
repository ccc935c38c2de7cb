// Changes of fields that begin while the mesh is being installed: Pods that start from then on have them, though nothing is restarted before
// all is ready.
import { kubeTime } from '../../../../shared/core/kube-time.ts'
import type { Istio } from '../../world.ts'
import { inForce } from '../applied-configuration.ts'
import { controlPlaneFields, gatewayFields, haveChanged, sidecarFields } from './fields.ts'
import type { RestartNote } from './targets.ts'

/** Notes of those that no note tells yet. */
export const begunChanges = (istio: Istio, now: Date): RestartNote[] =>
  fieldsOf.flatMap(({ target, fields }) => {
    const note = istio.status?.restarts?.find(one => one.target === target)
    if (note?.changingSince !== undefined || !haveChanged(fields, inForce(istio), istio.spec)) return []
    return [{ ...(note ?? { target, digest: '', since: kubeTime(now) }), changingSince: kubeTime(now) }]
  })

const fieldsOf = [
  { target: 'ingressGateway', fields: gatewayFields },
  { target: 'sidecars', fields: sidecarFields() },
  { target: 'controlPlane', fields: controlPlaneFields },
] as const
