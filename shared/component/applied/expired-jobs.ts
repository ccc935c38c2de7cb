// Jobs that Kubernetes deletes some time after they have ended (`ttlSecondsAfterFinished`). One that was complete is done: if it were
// created again, it would run again after each such time. What it did may have gone with its namespace: then it runs again with all else.
import { mapOrEmpty } from '../../core/json/json.ts'
import { groupOf, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { isEmptiedSince } from '../observed/namespaces.ts'
import type { DependentCase } from './write-cause.ts'

/** It was complete, and is being deleted. */
export const isExpiring = ({ item, live, dependent: { object } }: DependentCase): boolean =>
  item.phase === 'Ready' && live !== undefined && isDeleting(live) && expires(object)

/** It was complete, and is gone, but not its namespace. */
export const isExpired = ({ item, live, dependent: { object }, world: { observed } }: DependentCase): boolean =>
  item.phase === 'Ready' &&
  live === undefined &&
  expires(object) &&
  !isEmptiedSince(observed, object.metadata.namespace ?? '', item.lastAppliedAt)

const expires = ({ apiVersion, kind, spec }: KubeObject): boolean =>
  kind === 'Job' && groupOf(apiVersion) === 'batch' && typeof mapOrEmpty(spec).ttlSecondsAfterFinished === 'number'
