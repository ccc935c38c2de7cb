// Decides when certificates are renewed, and builds bundles of trusted authorities.
import type { X509Certificate } from 'node:crypto'
import type { Next } from '../decisions/plan.ts'
import { encodedText } from '../objects/secret-text.ts'
import { type Lifetime, lifetimeOf, pemOf } from './certificate.ts'

/** A certificate is renewed after this share of its lifetime. */
const renewAfter = 0.8
/** A certificate with fewer days left is overdue for renewal. */
export const renewalDueDays = 7
/** Maximum time until the next call. */
const lookSeconds = 43_200

/** A certificate that a function renews, for display. Example name: `The authority of the webhooks` */
export type KeptCertificate = { readonly name: string; readonly ends: Date }

/** Empty when there is no certificate. */
export const kept = (name: string, life: Lifetime | undefined): KeptCertificate[] =>
  life ? [{ name, ends: life.to }] : []

export type TrustedAuthority = Lifetime & { readonly pem: string }

export const trustedAuthority = (certificate: X509Certificate): TrustedAuthority => ({
  ...lifetimeOf(certificate),
  pem: pemOf(certificate),
})

/** Base64, as Secrets and webhook configurations contain it. */
export const caBundle = (authorities: readonly TrustedAuthority[]): string =>
  encodedText(authorities.map(({ pem }) => pem).join(''))

/** False for an absent certificate. A clock change can make a certificate invalid, too. */
export const isValidAt = (life: Lifetime | undefined, now: Date): boolean =>
  life !== undefined && life.from <= now && now < life.to

export const isDueAt = (life: Lifetime | undefined, now: Date): boolean => life !== undefined && now >= dueAt(life)

export const dueAt = ({ from, to }: Lifetime): Date =>
  new Date(from.getTime() + renewAfter * (to.getTime() - from.getTime()))

/** The next call comes at the first of these times, at the latest after half a day. */
export const settledUntil = (dueSeconds: readonly number[]): Next => ({
  is: 'settled',
  againSeconds: Math.ceil(Math.max(1, Math.min(lookSeconds, ...dueSeconds))),
})

/** Whole days; negative when the certificate has expired. */
export const daysLeft = (ends: Date, now: Date): number => Math.floor(secondsBetween(now, ends) / 86_400)

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1_000
