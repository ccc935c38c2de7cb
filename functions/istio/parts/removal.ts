// Removes installed objects in the order of desired/installation/manifests.ts. Part blocking checks for users' resources in every pass, so
// a CustomResourceDefinition is never deleted while a user has a resource of it.

import { storedItems } from '../../../shared/component/item.ts'
import { afterSteps, plan } from '../../../shared/component/plan.ts'
import type { DependentsStatus } from '../../../shared/component/reported/dependents-status.ts'
import type { World as EngineWorld } from '../../../shared/component/world.ts'
import { listText } from '../../../shared/core/text/text.ts'
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { uninstallFailed } from '../rules/findings.ts'
import { errorsText, heldText, isWorkLeft } from '../rules/installation/progress.ts'
import { type IstioPartReport, type PartTried, part } from './part.ts'

export const removal = part({
  name: 'removal',
  steps: ({ dependents }, _, now) => ('failed' in dependents ? [] : plan(dependents.read, now).steps),
  holds: ({ dependents }, world, now) => {
    if ('failed' in dependents) return true
    const after = reached(dependents.read, { world, results: [], now })
    return after.errors.length > 0 || !after.ready || isWorkLeft(after)
  },
  reports: ({ dependents }, tried) =>
    'failed' in dependents ? { findings: [uninstallFailed(dependents.failed)] } : reportOf(dependents.read, tried),
})

const reached = (dependents: EngineWorld, { results, now }: PartTried): DependentsStatus =>
  afterSteps(dependents, { plan: plan(dependents, now), results }, now)

const reportOf = (dependents: EngineWorld, tried: PartTried): IstioPartReport => {
  const after = reached(dependents, tried)
  const status = { inventory: storedItems(after.items) }
  if (after.errors.length > 0) return { status, findings: [uninstallFailed(errorsText(after))] }
  if (isWorkLeft(after)) return { status, again: true }
  return after.ready ? { status } : { status, findings: [removing(after, dependents)] }
}

const removing = ({ items }: DependentsStatus, { observed }: EngineWorld): IstioFinding => {
  const held = [...observed.live.values()].flatMap(object => heldText(object) ?? [])
  const holders = held.length > 0 ? `: ${listText(held)}` : ''
  return {
    state: 'Deleting',
    description: descriptions.deleting,
    reason: 'ReconcileUnknown',
    detail: `${items.length} objects left${holders}`,
    answer: 'removing',
  }
}
