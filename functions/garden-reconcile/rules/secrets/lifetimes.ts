// Lifetimes of generated Secrets. A certificate is valid from one minute before its creation, for clients whose clocks are behind. Label
// issued-at-time has the time one minute before the creation. The lifetime begins with the creation.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

const skewSeconds = 60

export const certificateTimes = (now: Date, days: number): { readonly notBefore: Date; readonly notAfter: Date } => {
  const made = Math.floor(now.getTime() / 1000)
  return { notBefore: new Date((made - skewSeconds) * 1000), notAfter: new Date((made + days * 86_400) * 1000) }
}

/** When the Secret was created, in unix seconds, computed from its labels. undefined: the label is missing. */
export const madeAtSeconds = (secret: KubeObject): number | undefined => {
  const issued = labelSeconds(secret, 'issued-at-time')
  return issued && labelSeconds(secret, 'valid-until-time') ? issued + skewSeconds : issued
}

/** The time after 80 % of the lifetime, in unix seconds. All calls compute the same second, so they create only one new Secret. */
export const renewalSeconds = (secret: KubeObject): number | undefined => {
  const [from, to] = [madeAtSeconds(secret), labelSeconds(secret, 'valid-until-time')]
  return from && to ? Math.floor(from + 0.8 * (to - from)) : undefined
}

const labelSeconds = ({ metadata }: KubeObject, label: string): number | undefined =>
  Number(metadata.labels?.[label]) || undefined
