// How long generated Secrets live. A certificate is valid from a minute before it is made, for clients whose clocks are behind, and its
// label issued-at-time says that; all that is reckoned here begins when it was made.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

const skewSeconds = 60

export const certificateTimes = (now: Date, days: number): { readonly notBefore: Date; readonly notAfter: Date } => {
  const made = Math.floor(now.getTime() / 1000)
  return { notBefore: new Date((made - skewSeconds) * 1000), notAfter: new Date((made + days * 86_400) * 1000) }
}

/** When the Secret was made, by its labels, in unix seconds; undefined without the label. */
export const madeAtSeconds = (secret: KubeObject): number | undefined => {
  const issued = labelSeconds(secret, 'issued-at-time')
  return issued && labelSeconds(secret, 'valid-until-time') ? issued + skewSeconds : issued
}

/** After 80 % of its lifetime, in unix seconds: all calls compute the same second and make only one new Secret. */
export const renewalSeconds = (secret: KubeObject): number | undefined => {
  const [from, to] = [madeAtSeconds(secret), labelSeconds(secret, 'valid-until-time')]
  return from && to ? Math.floor(from + 0.8 * (to - from)) : undefined
}

const labelSeconds = ({ metadata }: KubeObject, label: string): number | undefined =>
  Number(metadata.labels?.[label]) || undefined
