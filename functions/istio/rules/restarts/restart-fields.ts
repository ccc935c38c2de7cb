// Fields of an Istio that proxies read only when they start. Changing such a field requires restarts. The annotation with the last applied
// configuration has the values in force.
import type { IstioSpec } from '../../../../shared/api/istio.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { sameJson } from '../../../../shared/core/json/json.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import type { Istio } from '../../world.ts'
import { inForce } from '../applied-configuration.ts'
import { notedTarget, noteOf, type RestartNote, type RestartTarget } from './restart-notes.ts'

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
  targets.flatMap(target => {
    if (!areFieldsChanging(target, istio)) return []
    const before = noteOf(istio.status, target)
    const { note } = target === 'sidecars' ? { note: before } : wantedNote(target, istio, now)
    if (note !== undefined && note === before && note.changingSince !== undefined) return []
    const changingSince = before?.changingSince ?? kubeTime(now)
    return [{ ...(note ?? { target, digest: '', since: kubeTime(now) }), changingSince }]
  })

const wantedNote = (target: RestartTarget, istio: Istio, now: Date) =>
  notedTarget(istio.status, { target, wanted: wantedFields(target, istio), isChanging: true }, now)

const targets = ['ingressGateway', 'sidecars', 'controlPlane'] as const satisfies RestartTarget[]
