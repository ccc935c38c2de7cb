// Objects of other programs that have our names are taken over, as in Gardener's operator, with two exceptions. A Secret with other content
// is not overwritten: a user must move the content, or add our label. An immutable object whose data does not match the digest in its name
// is not used. It cannot be applied, and a workload would mount content that is not ours.

import type { Step } from '../../../shared/core/decisions/plan.ts'
import { mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { prefixes } from '../desired/parts/names.ts'
import type { World } from '../world.ts'
import { findObject, type Objects } from './objects.ts'
import { isOurs, wasAppliedBy } from './ownership.ts'
import { secretNow } from './secrets/secrets-now.ts'

export const foreignContentFault = (runtime: Objects, wanted: KubeObject, fieldManager: string): string | undefined => {
  const isContent = wanted.kind === 'Secret' || wanted.immutable === true
  const live = isContent ? findObject(runtime, refOf(wanted)) : undefined
  if (!live || (sameJson(live.data, wanted.data) && live.binaryData === undefined)) return undefined
  // The name is a digest of the data. An apply would keep added keys, for example manifests for a resource manager.
  if (wanted.immutable) return `${refText(refOf(wanted))}: its data does not match the digest in its name; delete it`
  if (isOurs(live) || wasAppliedBy(fieldManager, live) || asksForToken(live)) return undefined
  return Object.keys(mapOrEmpty(live.data)).length > 0
    ? `${refText(refOf(wanted))}: does not belong to this Garden, and its data would be overwritten; move the data to a Secret with another name, then delete it`
    : undefined
}

/** The Secret requests a token from a resource manager. Its content can be created again, whoever created the Secret. */
const asksForToken = ({ metadata: { labels } }: KubeObject): boolean =>
  labels?.[`${prefixes.resources}/purpose`] === 'token-requestor'

// An annotation of the Garden names the Secret with the generic kubeconfig, for programs that mount this Secret together with a token.

const annotation = 'generic-token-kubeconfig.secret.gardener.cloud/name'

export const genericKubeconfigName = (world: World): readonly Step[] => {
  const { garden } = world
  const { name } = secretNow(world, 'generic-token-kubeconfig').metadata
  return garden.metadata.annotations?.[annotation] === name
    ? []
    : [{ do: 'patch', target: garden, merge: { metadata: { annotations: { [annotation]: name } } } }]
}
