// Makes clients of the virtual garden get new tokens after the key of service accounts has changed. An annotation of a Secret has the time
// of the token's next renewal. Without this annotation, a resource manager renews the token immediately. So Espalier removes the annotation
// once per rotation, which a marker records. When the annotation is back, the Secret has its new token.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { refOf, refText } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { RotationWork } from './rotation-work.ts'

const renewTime = `${prefixes.serviceAccount}/token-renew-timestamp`
const marker = `${prefixes.credentials}/token-renewed-for`

/** `started`: start of the rotation in unix seconds. `secrets`: all Secrets that request a token of the virtual garden. */
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
      .map(secret => `${refText(refOf(secret))}: has no token signed with the new key yet`),
  }
}
