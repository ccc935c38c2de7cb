// Fields of an Istio that running proxies do not take up. What was in force last is in the annotation of the last applied configuration.
import type { IstioSpec } from '../../../../shared/api/istio.ts'
import { valueAt } from '../../../../shared/core/fields.ts'
import { sameJson } from '../../../../shared/core/json.ts'
import type { Istio } from '../../world.ts'
import { inForce } from '../applied-configuration.ts'
import type { RestartTarget } from './targets.ts'

/** What proxies see of each field: in this form, what means the same is equal. The annotation may hold anything. */
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

type RestartField = keyof typeof rows

const fieldValues = (spec: IstioSpec, fields: readonly RestartField[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(field => [field, rows[field](spec)]))

/** Whether one of the fields differs. */
export const haveChanged = (fields: readonly RestartField[], before: IstioSpec, after: IstioSpec): boolean =>
  !sameJson(fieldValues(before, fields), fieldValues(after, fields))

export const gatewayFields = [
  'numTrustedProxies',
  'forwardClientCertDetails',
  'trustDomain',
  'proxyStatsMatcher',
] as const satisfies RestartField[]

const controlPlaneFields = ['networkPoliciesEnabled'] as const satisfies RestartField[]

/** What sidecars are told where compatibilityMode is on; this version of Istio has nothing to be told. */
export const compatibility: Readonly<Record<string, string>> = {}

/** What sidecars have to be restarted for. */
export const sidecarFields = (told: Readonly<Record<string, string>> = compatibility): readonly RestartField[] => [
  ...(['enableDNSProxying', 'proxyStatsMatcher'] as const),
  ...(Object.keys(told).length > 0 ? (['compatibilityMode'] as const) : []),
]

const fieldsOf: Readonly<Record<RestartTarget, readonly RestartField[]>> = {
  ingressGateway: gatewayFields,
  sidecars: sidecarFields(),
  controlPlane: controlPlaneFields,
}

/** What of the Istio the target is restarted for. */
export const wantedFields = (target: RestartTarget, { spec }: Istio): Readonly<Record<string, unknown>> =>
  fieldValues(spec, fieldsOf[target])

/** Whether fields of the target are wanted otherwise than they are in force. */
export const areFieldsChanging = (target: RestartTarget, istio: Istio): boolean =>
  haveChanged(fieldsOf[target], inForce(istio), istio.spec)
