// Blocks the removal of the mesh while users have resources of Istio's kinds (for example a VirtualService), or while the Istio has
// finalizers that are not ours.

import { istioNames } from '../../../shared/api/istio/names.ts'
import type { EventNote } from '../../../shared/core/decisions/plan.ts'
import { listText } from '../../../shared/core/text/text.ts'
import { descriptions, istioReasons } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { uninstallFailed } from '../rules/findings.ts'
import type { Istio } from '../world.ts'
import { type IstioPartReport, part } from './part.ts'

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
