// Restarts of workloads known by name: the ingress gateway and the control plane.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { installedObject } from '../installation/found-objects.ts'
import { areFieldsChanging, wantedFields } from './restart-fields.ts'
import {
  type NamedRestarts,
  type Noted,
  notedTarget,
  pastSecondsAt,
  type RestartTarget,
  secondsOf,
} from './restart-notes.ts'
import { restartedAtOf } from './workloads.ts'

export type NamedTarget = Exclude<RestartTarget, 'sidecars'>

const workloadRef = (kind: string, name: string): ObjectRef => ({
  apiVersion: 'apps/v1',
  kind,
  namespace: istioNames.namespaces.mesh,
  name,
})

const gateway = workloadRef('Deployment', 'istio-ingressgateway')

const workloadsOf: Readonly<Record<NamedTarget, readonly ObjectRef[]>> = {
  ingressGateway: [gateway],
  controlPlane: [gateway, workloadRef('Deployment', 'istiod'), workloadRef('DaemonSet', 'istio-cni-node')],
}

/** A workload must restart if it has not started since the note, also if the change is already in force or was reverted. */
export const namedRestarts = (target: NamedTarget, { istio, facts }: World, now: Date): NamedRestarts => {
  const isChanging = areFieldsChanging(target, istio)
  const noted = notedTarget(istio.status, { target, wanted: wantedFields(target, istio), isChanging }, now)
  if (!isChanging && noted.ended === undefined) return { noted, due: [] }
  const workloads = workloadsOf[target].flatMap(ref => installedObject(facts, ref) ?? [])
  return { noted, due: workloads.filter(workload => !startedSince(noted, workload, secondsOf(now))) }
}

const startedSince = ({ since }: Noted, workload: KubeObject, now: number): boolean => {
  const times = [workload.metadata.creationTimestamp, restartedAtOf(workload)]
  return times.some(time => (pastSecondsAt(time, now) ?? 0) > since)
}
