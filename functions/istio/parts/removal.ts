// Parts of a deletion. `blocking` checks in every pass for resources of Istio's kinds that users have, and for finalizers of others, so no
// CustomResourceDefinition is deleted while a user has a resource of it. `removal` removes installed objects in the order of
// desired/manifests.ts.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { storedItems } from '../../../shared/component/item.ts'
import { afterSteps, plan } from '../../../shared/component/plan.ts'
import type { DependentsStatus } from '../../../shared/component/reported/dependents-status.ts'
import type { World as EngineWorld } from '../../../shared/component/world.ts'
import type { EventNote } from '../../../shared/core/decisions/plan.ts'
import { listText } from '../../../shared/core/text/text.ts'
import { removalOf } from '../desired/resource-row.ts'
import { descriptions, istioReasons } from '../reasons.ts'
import { type IstioFinding, uninstallFailed } from '../rules/findings.ts'
import { errorsText, heldText, isWorkLeft } from '../rules/installation-progress.ts'
import type { Istio } from '../world.ts'
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

export const blocking = part({
  name: 'blocking',
  holds: ({ resources }, { istio }) =>
    'failed' in resources || resources.read.count > 0 || foreignFinalizers(istio).length > 0,
  reports: ({ resources }, { world: { istio } }) => {
    if ('failed' in resources) return { findings: [uninstallFailed(resources.failed)] }
    const { first, count } = resources.read
    if (count > 0) return dangling(istio, listText(first, { count }))
    const others = foreignFinalizers(istio)
    return others.length > 0 ? { findings: [heldByOthers(others)] } : {}
  },
})

const foreignFinalizers = ({ metadata: { finalizers = [] } }: Istio): readonly string[] =>
  finalizers.filter(name => name !== istioNames.finalizer)

const heldByOthers = (finalizers: readonly string[]): IstioFinding => ({
  state: 'Deleting',
  description: descriptions.otherFinalizers(listText(finalizers, { between: ' ' })),
  answer: 'removing',
})

const dangling = (istio: Istio, names: string): IstioPartReport => ({
  findings: [
    {
      state: 'Warning',
      description: descriptions.dangling,
      reason: 'IstioCustomResourcesDangling',
      detail: names,
      answer: 'danglingResources',
    },
  ],
  events: [danglingEvent(names, istio.metadata.deletionTimestamp)],
})

/** One Event per deletion and set of resources, whatever the number of passes. */
const danglingEvent = (names: string, occasion: string | undefined): EventNote => ({
  type: 'Warning',
  reason: 'IstioCustomResourcesDangling',
  occasion,
  message: `${istioReasons.IstioCustomResourcesDangling.message}: ${names}`,
})

/** Removes mesh resources that no garbage collector deletes. */
export const leftovers = part({
  name: 'leftovers',
  steps: ({ resources }) => ('failed' in resources ? [] : resources.read.flatMap(removalOf)),
  holds: ({ resources }) => 'failed' in resources,
  reports: ({ resources }, { results }) => {
    const faults = [
      ...('failed' in resources ? [resources.failed] : []),
      ...results.flatMap(({ error }) => error?.message ?? []),
    ]
    return faults.length > 0 ? { findings: [uninstallFailed(faults.join('; '))] } : {}
  },
})
