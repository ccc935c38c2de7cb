// The conditions of a Manifest after a pass.
import { itemKey, wasApplied } from '../../../shared/component/inventory/item.ts'
import { type Condition, withCondition } from '../../../shared/core/objects/condition.ts'
import { isCreated } from '../../../shared/kyma/manifests.ts'
import { defaultObject } from '../desired/module-objects.ts'
import { conditionWords, type ManifestCondition } from '../reasons.ts'
import type { Case } from './states.ts'

type Judge = (c: Case) => boolean | undefined

/** undefined: this pass cannot tell, so it stays as it was. */
const judges: Readonly<Record<ManifestCondition, Judge>> = {
  Resources: ({ world: { found } }) => {
    if (found.is === 'installed') return found.isLayerUnread ? undefined : true
    return found.is === 'failed' && found.fault.isOfLayer ? false : undefined
  },
  Installation: ({ world: { found }, dependents }) =>
    found.is === 'installed' || found.is === 'failed' ? (dependents?.ready ?? false) : undefined,
  ModuleCR: ({ world: { manifest, found }, dependents }) => {
    if (found.is !== 'installed') return isCreated(manifest)
    if (found.isDefaultGone) return false
    return (
      isCreated(manifest) ||
      (dependents?.items.some(item => itemKey(item) === found.defaultKey && wasApplied(item)) ?? false)
    )
  },
}

/** A module without a default object has no condition about it. */
export const conditionsAfter = (c: Case, now: Date): readonly Condition[] => {
  const { manifest } = c.world
  const types = (Object.keys(judges) as ManifestCondition[]).filter(
    type => type !== 'ModuleCR' || defaultObject(manifest),
  )
  const before = (manifest.status?.conditions ?? []) as readonly Condition[]
  return types.reduce((conditions, type) => {
    const known = before.find(condition => condition.type === type)?.status === 'True'
    const status = (judges[type](c) ?? known) ? 'True' : 'False'
    const { reason, [status]: message } = conditionWords[type]
    const observedGeneration = manifest.metadata.generation
    return withCondition(conditions, { type, status, reason, message, observedGeneration }, now)
  }, before)
}
