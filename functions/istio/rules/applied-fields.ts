// The content of the annotation with the last applied configuration: the whole spec if it is in force, otherwise the old content with the
// fields that have come into force.
import type { IstioSpec } from '../../../shared/api/istio.ts'
import { type AppliedConfiguration, appliedText } from './applied-configuration.ts'

/** Fields that are saved as soon as they are in force: the version and the fields that cause restarts. */
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

/** Whether fields are in force, as one part sees it. `spec`: the spec as a whole. */
export type AppliedVerdict = Partial<Readonly<Record<AppliedField | 'spec', boolean>>>

export const isAllInForce = (verdicts: readonly AppliedVerdict[]): boolean =>
  verdicts.every(verdict => Object.values(verdict).every(isInForce => isInForce))

/** Fields that at least one part reports as in force and no part reports as not in force. */
export const fieldsInForce = (verdicts: readonly AppliedVerdict[]): readonly AppliedField[] =>
  (Object.keys(rows) as AppliedField[]).filter(field => {
    const said = verdicts.flatMap(verdict => verdict[field] ?? [])
    return said.length > 0 && said.every(isInForce => isInForce)
  })

/** The old configuration with the new values of `fields`. */
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
