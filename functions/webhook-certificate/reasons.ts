// Reasons for new certificates, in Events and in the outcome of a call.

export const reasons = {
  authorityUnusable: 'no certificate authority is valid and able to sign',
  authorityDue: 'most of the lifetime of the certificate authority has passed',
  servingUnusable: 'no serving certificate is valid and trusted',
  servingDue: 'most of the lifetime of the serving certificate has passed',
  namesChanged: 'the serving certificate lacks a host name that API servers use for the webhooks',
  authorityReplaced: 'the serving certificate is signed by a certificate authority that is being replaced',
  authorityUnknown: 'API servers do not trust the new certificate authority yet',
} as const

export type Reason = keyof typeof reasons
