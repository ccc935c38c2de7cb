// Has the tokens of all clients of the virtual garden made anew after the key of service accounts changed. The resource manager makes a
// token for a Secret that says no time of its next renewal; the marker says for which rotation that time was taken away, so it is taken
// once, and a Secret has its new token when it says a time again.
import type { KubeObject } from '../../../../shared/core/object.ts'
import { refOf, refText } from '../../../../shared/core/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { RotationWork } from './rotation-work.ts'

const renewTime = `${prefixes.serviceAccount}/token-renew-timestamp`
const marker = `${prefixes.credentials}/token-renewed-for`

/** `started`: when the rotation was, in unix seconds. All Secrets that ask for a token of the virtual garden are given. */
export const tokenRenewal = (secrets: readonly KubeObject[], started: number): RotationWork => {
  const isAsked = ({ metadata }: KubeObject): boolean => metadata.annotations?.[marker] === String(started)
  const isRenewed = (secret: KubeObject): boolean =>
    isAsked(secret) && Boolean(secret.metadata.annotations?.[renewTime])
  const merge = { metadata: { annotations: { [renewTime]: null, [marker]: String(started) } } }
  return {
    steps: secrets
      .filter(secret => !isAsked(secret))
      .map(target => ({ do: 'patch', target, merge, isConflictPassing: true, isConfidential: true })),
    waits: secrets
      .filter(secret => !isRenewed(secret))
      .map(secret => `${refText(refOf(secret))}: has no token of the new key yet`),
  }
}
