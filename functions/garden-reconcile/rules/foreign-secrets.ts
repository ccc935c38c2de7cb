// What stands under our names is taken over, as Gardener's operator takes it over; only what somebody keeps in a Secret cannot be had back
// once it is overwritten, so it is left as it is. People move it, or give the Secret our label.
import { mapOrEmpty, sameJson } from '../../../shared/core/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/object.ts'
import { prefixes } from '../desired/parts/names.ts'
import { findObject, type Objects } from './objects.ts'
import { isOurs, wasAppliedBy } from './ownership.ts'

/** Why this Secret is not applied. */
export const foreignSecretFault = (runtime: Objects, wanted: KubeObject, fieldManager: string): string | undefined => {
  const live = wanted.kind === 'Secret' ? findObject(runtime, refOf(wanted)) : undefined
  if (!live || isOurs(live) || wasAppliedBy(fieldManager, live) || asksForToken(live)) return undefined
  const isKept = Object.keys(mapOrEmpty(live.data)).length > 0 && !sameJson(live.data, wanted.data)
  return isKept ? `${refText(refOf(wanted))}: is somebody else's, and what it holds would be overwritten` : undefined
}

/** Whoever made it, its content is made anew whenever it is missing. */
const asksForToken = ({ metadata: { labels } }: KubeObject): boolean =>
  labels?.[`${prefixes.resources}/purpose`] === 'token-requestor'
