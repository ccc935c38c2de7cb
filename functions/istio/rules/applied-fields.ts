// What the annotation of the last applied configuration is to hold: all of the spec where all is in force, else what it held before and
// the fields that came into force since.
import type { IstioSpec } from '../../../shared/api/istio.ts'
import { type AppliedConfiguration, appliedText } from './applied-configuration.ts'

/** Fields that are saved as soon as they are in force: what pods had to be restarted for, and the version. */
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

/** Fields of which one part says that they are in force, and none denies it. */
export const fieldsInForce = (verdicts: readonly AppliedVerdict[]): readonly AppliedField[] =>
  (Object.keys(rows) as AppliedField[]).filter(field => {
    const said = verdicts.flatMap(verdict => verdict[field] ?? [])
    return said.length > 0 && said.every(isInForce => isInForce)
  })

/** What was in force before, and these fields as they are wanted. */
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
