// Objects of others under our names are taken over, as Gardener's operator does. Not so a Secret with content of somebody else, which
// would be lost if it were overwritten: people must move it, or give it our label. Nor an object whose name is a digest of other data: while an
// immutable one refuses our apply, a workload that is applied beside it would mount what somebody else wrote.

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
  // Its name is a digest of its data. An apply would leave keys that were added to it, such as manifests for a resource manager.
  if (wanted.immutable) return `${refText(refOf(wanted))}: holds something else than its name says; delete it`
  if (isOurs(live) || wasAppliedBy(fieldManager, live) || asksForToken(live)) return undefined
  return Object.keys(mapOrEmpty(live.data)).length > 0
    ? `${refText(refOf(wanted))}: is somebody else's, and what it holds would be overwritten`
    : undefined
}

/** The Secret asks a resource manager for a token, so its content can be made again, whoever made the Secret. */
const asksForToken = ({ metadata: { labels } }: KubeObject): boolean =>
  labels?.[`${prefixes.resources}/purpose`] === 'token-requestor'

// An annotation of the Garden names the Secret with the generic kubeconfig, for programs that mount it beside a token of their own.

const annotation = 'generic-token-kubeconfig.secret.gardener.cloud/name'

export const genericKubeconfigName = (world: World): readonly Step[] => {
  const { garden } = world
  const { name } = secretNow(world, 'generic-token-kubeconfig').metadata
  return garden.metadata.annotations?.[annotation] === name
    ? []
    : [{ do: 'patch', target: garden, merge: { metadata: { annotations: { [annotation]: name } } } }]
}
