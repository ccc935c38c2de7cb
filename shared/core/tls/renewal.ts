// When certificates are renewed, and the order of trusted authorities in a bundle. Which certificates there are, and what follows
// when one is due, their functions decide.
import type { X509Certificate } from 'node:crypto'
import type { Next } from '../decisions/plan.ts'
import { encodedText } from '../objects/secret-text.ts'
import { type Lifetime, lifetimeOf, pemOf } from './certificate.ts'

/** The share of a certificate's life after which it is renewed. */
const renewAfter = 0.8
/** A certificate that has fewer days left should have been renewed. */
export const renewalDueDays = 7
/** The longest time until the next call. */
const lookSeconds = 43_200

export type TrustedAuthority = Lifetime & { readonly pem: string }

export const trustedAuthority = (certificate: X509Certificate): TrustedAuthority => ({
  ...lifetimeOf(certificate),
  pem: pemOf(certificate),
})

/** As a Secret and a webhook configuration hold them, in base64. */
export const caBundle = (authorities: readonly TrustedAuthority[]): string =>
  encodedText(authorities.map(({ pem }) => pem).join(''))

/** Not so where there is none, or where it is not valid now, also because a clock jumped. */
export const isValidAt = (life: Lifetime | undefined, now: Date): boolean =>
  life !== undefined && life.from <= now && now < life.to

export const isDueAt = (life: Lifetime | undefined, now: Date): boolean => life !== undefined && now >= dueAt(life)

export const dueAt = ({ from, to }: Lifetime): Date =>
  new Date(from.getTime() + renewAfter * (to.getTime() - from.getTime()))

/** The next call comes when the first of these times has passed, after half a day at the latest. */
export const settledUntil = (dueSeconds: readonly number[]): Next => ({
  is: 'settled',
  againSeconds: Math.ceil(Math.max(1, Math.min(lookSeconds, ...dueSeconds))),
})

/** Whole days; below zero when the certificate has ended. */
export const daysLeft = (ends: Date, now: Date): number => Math.floor(secondsBetween(now, ends) / 86_400)

/** Below zero where `to` comes first. */
export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1_000
