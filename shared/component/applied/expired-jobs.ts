// Jobs that Kubernetes deletes some time after they have ended (`ttlSecondsAfterFinished`). One that was complete is done: if it were
// created again, it would run again after each such time.
import { mapOrEmpty } from '../../core/json/json.ts'
import { groupOf, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { DependentCase } from './write-cause.ts'

/** It was complete, and is deleted or gone. */
export const isExpired = ({ item, live, dependent: { object } }: DependentCase): boolean =>
  item.phase === 'Ready' && (live === undefined || isDeleting(live)) && expires(object)

const expires = ({ apiVersion, kind, spec }: KubeObject): boolean =>
  kind === 'Job' && groupOf(apiVersion) === 'batch' && typeof mapOrEmpty(spec).ttlSecondsAfterFinished === 'number'
