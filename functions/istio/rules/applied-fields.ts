// The content of the annotation with the last applied configuration: the whole spec once all of it is in force; until then what it held
// before, with the fields that came into force since.
import type { IstioSpec } from '../../../shared/api/istio.ts'
import { type AppliedConfiguration, appliedText } from './applied-configuration.ts'

/** Fields that are saved as soon as they are in force: those that Pods are restarted for, and the version. */
const rows = {
  version: (before, { tag }) => ({ ...before, tag }),
  numTrustedProxies: ofConfig('numTrustedProxies'),
  forwardClientCertDetails: ofConfig('forwardClientCertDetails'),
  trustDomain: ofConfig('trustDomain'),
  proxyStatsMatcher: ofConfig('proxyStatsMatcher'),
  enableDNSProxying: ofConfig('enableDNSProxying'),
  compatibilityMode: ofSpec('compatibilityMode'),
  networkPoliciesEnabled: ofSpec('networkPoliciesEnabled'),
} as const satisfies Record<string, Row>

type Row = (before: AppliedConfiguration, wanted: AppliedConfiguration) => AppliedConfiguration

type AppliedField = keyof typeof rows

/** A part's verdict on the fields that concern it; `spec`: on the spec as a whole, where no single field is concerned. */
export type AppliedVerdict = Partial<Readonly<Record<AppliedField | 'spec', boolean>>>

/** No part denies anything. */
export const isAllInForce = (verdicts: readonly AppliedVerdict[]): boolean =>
  verdicts.every(verdict => Object.values(verdict).every(isInForce => isInForce))

/** The fields that at least one part says are in force, and no part denies. */
export const fieldsInForce = (verdicts: readonly AppliedVerdict[]): readonly AppliedField[] =>
  (Object.keys(rows) as AppliedField[]).filter(field => {
    const said = verdicts.flatMap(verdict => verdict[field] ?? [])
    return said.length > 0 && said.every(isInForce => isInForce)
  })

/** The annotation's text: what was in force before, with the wanted values of these fields. */
export const textWithFields = (
  before: AppliedConfiguration | undefined,
  wanted: AppliedConfiguration,
  fields: readonly AppliedField[],
): string =>
  appliedText(fields.reduce<AppliedConfiguration>((after, field) => rows[field](after, wanted), before ?? { spec: {} }))

function ofSpec(field: keyof IstioSpec): Row {
  return (before, wanted) => ({ ...before, spec: { ...before.spec, [field]: wanted.spec[field] } })
}

function ofConfig(field: keyof NonNullable<IstioSpec['config']>): Row {
  return (before, wanted) => {
    const config = { ...before.spec.config, [field]: wanted.spec.config?.[field] }
    return { ...before, spec: { ...before.spec, config } }
  }
}
