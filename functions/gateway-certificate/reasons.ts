// Reasons for new certificates of the listener for runtimes, in Events.
import type { EventNote } from '../../shared/core/decisions/plan.ts'

const reasons = {
  authorityUnusable: 'no certificate authority is valid and able to sign',
  authorityDue: 'most of the lifetime of the certificate authority has passed',
  servingUnusable: 'the listener has no valid certificate',
  servingDue: 'most of the lifetime of the certificate has passed',
  namesChanged: 'the certificate lacks a host name that runtimes use for the listener',
  authorityReplaced: 'the certificate is signed by a certificate authority that is being replaced',
} as const

export type RenewalReason = keyof typeof reasons

/** The listener gets a new certificate, possibly from a new CA. */
export const renewed = ({ renew, reason }: { renew: readonly string[]; reason: RenewalReason }): EventNote => ({
  type: 'Normal',
  reason: 'CertificateRenewed',
  message: `new ${renew.join(' and ')} certificate for the listener for runtimes: ${reasons[reason]}`,
})
