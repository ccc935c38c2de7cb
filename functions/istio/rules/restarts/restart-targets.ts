// What restart targets want: the values of fields that proxies read only when they start, the workloads known by name that must restart,
// and the desired sidecar. The annotation with the last applied configuration has the values in force.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { IstioSpec } from '../../../../shared/api/istio.ts'
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, mapOrEmpty, sameJson } from '../../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { wantedOperator } from '../../desired/wanted-operator.ts'
import type { Istio, World } from '../../world.ts'
import { inForce } from '../applied-configuration.ts'
import { installedObject } from '../installed-objects.ts'
import { restartedAtOf } from './pod-owners.ts'
import {
  type NamedRestarts,
  type Noted,
  notedTarget,
  noteOf,
  pastSecondsAt,
  type RestartNote,
  type RestartTarget,
  secondsOf,
} from './restart-notes.ts'
import type { DesiredSidecar } from './stale-pod.ts'

/** Normalizes fields so that equal meanings are equal values. Values may have any type, because users can edit the annotation. */
const rows = {
  numTrustedProxies: spec => valueAt(spec, 'config', 'numTrustedProxies') ?? null,
  forwardClientCertDetails: spec => valueAt(spec, 'config', 'forwardClientCertDetails') ?? null,
  trustDomain: spec => valueAt(spec, 'config', 'trustDomain') ?? null,
  proxyStatsMatcher: spec => inAnyOrder(valueAt(spec, 'config', 'proxyStatsMatcher', 'inclusionRegexps')),
  enableDNSProxying: spec => valueAt(spec, 'config', 'enableDNSProxying') ?? false,
  compatibilityMode: spec => valueAt(spec, 'compatibilityMode') ?? false,
  networkPoliciesEnabled: spec => valueAt(spec, 'networkPoliciesEnabled') ?? false,
} as const satisfies Record<string, (spec: unknown) => unknown>

const inAnyOrder = (list: unknown): unknown =>
  Array.isArray(list) ? [...new Set(list)].filter(one => typeof one === 'string').sort() : (list ?? [])

export type RestartField = keyof typeof rows

const fieldValues = (spec: IstioSpec, fields: readonly RestartField[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(field => [field, rows[field](spec)]))

export const haveChanged = (fields: readonly RestartField[], before: IstioSpec, after: IstioSpec): boolean =>
  !sameJson(fieldValues(before, fields), fieldValues(after, fields))

export const gatewayFields = [
  'numTrustedProxies',
  'forwardClientCertDetails',
  'trustDomain',
  'proxyStatsMatcher',
] as const satisfies RestartField[]

export const controlPlaneFields = ['networkPoliciesEnabled'] as const satisfies RestartField[]

/** Environment variables of sidecars in compatibilityMode. This version of Istio has none, so the field needs no restart. */
export const compatibility: Readonly<Record<string, string>> = {}

export const sidecarFields = (variables: Readonly<Record<string, string>> = compatibility): readonly RestartField[] => [
  ...(['enableDNSProxying', 'proxyStatsMatcher'] as const),
  ...(Object.keys(variables).length > 0 ? (['compatibilityMode'] as const) : []),
]

const fieldsOf: Readonly<Record<RestartTarget, readonly RestartField[]>> = {
  ingressGateway: gatewayFields,
  sidecars: sidecarFields(),
  controlPlane: controlPlaneFields,
}

export const wantedFields = (target: RestartTarget, { spec }: Istio): Readonly<Record<string, unknown>> =>
  fieldValues(spec, fieldsOf[target])

/** Whether fields that need restarts of the target are not in force yet. */
export const areFieldsChanging = (target: RestartTarget, istio: Istio): boolean =>
  haveChanged(fieldsOf[target], inForce(istio), istio.spec)

/**
 * Notes for new changes. Restarts wait until the installation is ready. Pods created during the wait already have the new fields, so the
 * status records when the change began. Workloads known by name that are created after the note need no restart.
 */
export const begunChanges = (istio: Istio, now: Date): RestartNote[] =>
  (Object.keys(fieldsOf) as RestartTarget[]).flatMap(target => {
    if (!areFieldsChanging(target, istio)) return []
    const before = noteOf(istio.status, target)
    const note = target === 'sidecars' ? before : notedFields(target, istio, now).note
    if (note !== undefined && note === before && note.changingSince !== undefined) return []
    const changingSince = before?.changingSince ?? kubeTime(now)
    return [{ ...(note ?? { target, digest: '', since: kubeTime(now) }), changingSince }]
  })

const notedFields = (target: RestartTarget, istio: Istio, now: Date): Noted => {
  const isChanging = areFieldsChanging(target, istio)
  return notedTarget(istio.status, { target, wanted: wantedFields(target, istio), isChanging }, now)
}

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
  const noted = notedFields(target, istio, now)
  if (!areFieldsChanging(target, istio) && noted.ended === undefined) return { noted, due: [] }
  const workloads = workloadsOf[target].flatMap(ref => installedObject(facts, ref) ?? [])
  return { noted, due: workloads.filter(workload => !startedSince(noted, workload, secondsOf(now))) }
}

const startedSince = ({ since }: Noted, workload: KubeObject, now: number): boolean => {
  const times = [workload.metadata.creationTimestamp, restartedAtOf(workload)]
  return times.some(time => (pastSecondsAt(time, now) ?? 0) > since)
}

/**
 * What istiod's injector creates. `mesh`: ConfigMap istio-system/istio. undefined: there is no wanted IstioOperator; part installation
 * reports why.
 */
export const desiredSidecar = (
  { istio, settings, facts }: World,
  mesh: KubeObject | undefined,
): DesiredSidecar | undefined => {
  const cluster = facts.installation?.cluster
  if (cluster === undefined) return undefined
  const wanted = wantedOperator({ spec: istio.spec, profiles: settings.profiles, cluster, installation: settings })
  if ('fault' in wanted) return undefined
  const { spec } = wanted.operator
  const proxy = mapOrEmpty(valueAt(spec, 'values', 'global', 'proxy'))
  return {
    image: isText(proxy.image) && proxy.image.includes('/') ? proxy.image : `${spec.hub}/proxyv2:${spec.tag}`,
    resources: mapOrEmpty(proxy.resources),
    metrics: { isMerged: valueAt(spec, 'meshConfig', 'enablePrometheusMerge') === true, port: statusPort(mesh) },
    hasCni: valueAt(spec, 'components', 'cni', 'enabled') !== false,
  }
}

const usualStatusPort = '15020'

const statusPort = (mesh: KubeObject | undefined): string => {
  const text = valueAt(mesh?.data, 'mesh')
  const config = isText(text) ? attempted(() => readYaml(text)) : undefined
  const port = config && 'read' in config ? valueAt(config.read, 'defaultConfig', 'statusPort') : undefined
  return typeof port === 'number' || isText(port) ? String(port) : usualStatusPort
}
