// Reasons for new certificates, in Events and in what a call waits for.

export const reasons = {
  authorityUnusable: 'there is no authority that is valid and can sign',
  authorityDue: 'most of the life of the authority is over',
  servingUnusable: 'there is no serving certificate that is valid and trusted',
  servingDue: 'most of the life of the serving certificate is over',
  namesChanged: 'the serving certificate lacks a name under which we are reached',
  authorityReplaced: 'the serving certificate is signed by an authority that is being replaced',
  authorityUnknown: 'API servers are still learning to trust the new authority',
} as const

export type Reason = keyof typeof reasons
