// Reasons for new certificates of the listener for runtimes, in Events.
import type { EventNote } from '../../shared/core/decisions/plan.ts'

const reasons = {
  authorityUnusable: 'there is no authority that is valid and can sign',
  authorityDue: 'most of the life of the authority is over',
  servingUnusable: 'there is no certificate of the listener that is valid',
  servingDue: 'most of the life of the certificate is over',
  namesChanged: 'the certificate lacks a name under which runtimes reach the listener',
  authorityReplaced: 'the certificate is signed by an authority that is being replaced',
} as const

export type RenewalReason = keyof typeof reasons

/** The listener gets a new certificate, perhaps of a new authority. */
export const renewed = ({ renew, reason }: { renew: readonly string[]; reason: RenewalReason }): EventNote => ({
  type: 'Normal',
  reason: 'CertificateRenewed',
  message: `new ${renew.join(' and ')} certificate for the listener for runtimes: ${reasons[reason]}`,
})
