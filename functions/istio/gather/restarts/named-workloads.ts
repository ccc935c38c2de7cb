// Which of the workloads that are restarted by name (ingress gateway, istiod, CNI) need a restart. They were read with the installation.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { installedObject } from '../../rules/installation/found-objects.ts'
import { lastChange } from '../../rules/resource-changes.ts'
import { gatewayStale } from '../../rules/restarts/gateway.ts'
import { type NamedRestarts, namedRestarts } from '../../rules/restarts/named-workloads.ts'
import { type Noted, notedTarget } from '../../rules/restarts/noted-targets.ts'
import { areFieldsChanging, wantedFields } from '../../rules/restarts/restart-fields.ts'
import { secondsOf, wholeSeconds } from '../../rules/restarts/restart-times.ts'
import type { ReaderInput } from '../reader-input.ts'

const workloadRef = (kind: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind,
  namespace: istioNames.namespaces.mesh,
  name,
})

const gateway = workloadRef('Deployment', 'istio-ingressgateway')

export const readIngressGateway = async ({ world, now }: ReaderInput): Promise<NamedRestarts> => {
  const { istio, facts } = world
  const changedAt = facts.resources && wholeSeconds(lastChange('ingressGateway', facts.resources))
  const wanted = { ...wantedFields('ingressGateway', istio), changedAt }
  const isChanging = areFieldsChanging('ingressGateway', istio)
  const noted = notedTarget(istio.status, { target: 'ingressGateway', wanted, isChanging }, now)
  const deployment = installedObject(facts, gateway)
  const pods = facts.podVersions?.pods ?? []
  const cause = hasEnded(noted)
    ? 'configuration'
    : deployment && gatewayStale(world, { deployment, pods, resourceChangedAt: changedAt })
  return namedRestarts(noted, deployment && cause ? [{ workload: deployment, cause }] : [], secondsOf(now))
}

/** A change of fields is in force, or was taken back. Either way, workloads that were not restarted since are restarted. */
const hasEnded = (noted: Noted): boolean => noted.is === 'noted' && noted.ended !== undefined

const controlPlane = [gateway, workloadRef('Deployment', 'istiod'), workloadRef('DaemonSet', 'istio-cni-node')]

export const readControlPlane = async ({ world: { istio, facts }, now }: ReaderInput): Promise<NamedRestarts> => {
  const wanted = wantedFields('controlPlane', istio)
  const isChanging = areFieldsChanging('controlPlane', istio)
  const noted = notedTarget(istio.status, { target: 'controlPlane', wanted, isChanging }, now)
  if (!isChanging && !hasEnded(noted)) return namedRestarts(noted, [], secondsOf(now))
  const stale = controlPlane.flatMap(ref => {
    const workload = installedObject(facts, ref)
    return workload ? [{ workload, cause: 'configuration' as const }] : []
  })
  return namedRestarts(noted, stale, secondsOf(now))
}
