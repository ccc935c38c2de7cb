// The parts of istio, in stages from top to bottom. The parts of a stage run together; the next stage runs when none of them has
// anything to write or stops. A new part is one line here, one field of Facts in world.ts, and one line in gather/all-readers.ts.
import { isDeleting, type KubeObject } from '../../../shared/core/object.ts'
import type { Step, StepResult } from '../../../shared/core/plan.ts'
import type { PartName, World } from '../world.ts'
import { blocking } from './blocking.ts'
import { controlPlanePart } from './control-plane.ts'
import { envoyFilters } from './envoy-filters.ts'
import { formerSidecars } from './former-sidecars.ts'
import { ingressGateway } from './ingress-gateway.ts'
import { meshInstallation } from './installation.ts'
import { istiodLabels } from './istiod-labels.ts'
import { leftovers } from './leftovers.ts'
import { ownership } from './ownership.ts'
import type { IstioPart, IstioTelling } from './part.ts'
import { podVersions } from './pod-versions.ts'
import { removal } from './removal.ts'
import { resources } from './resources.ts'
import { sidecars } from './sidecars.ts'

type Stages = readonly (readonly IstioPart[])[]

const life: Stages = [
  [ownership],
  [meshInstallation],
  [podVersions],
  [resources],
  [ingressGateway, sidecars, controlPlanePart, envoyFilters],
  [istiodLabels],
]

/** After the last stage the finalizer goes. */
const deletion: Stages = [[blocking], [removal], [formerSidecars], [leftovers]]

export type PartsRun = {
  /** The parts that run, and what they want to write. */
  readonly parts: readonly { readonly part: IstioPart; readonly steps: readonly Step[] }[]
  /** The first of those that may run only when these are known. */
  readonly unread: readonly PartName[]
  /** All parts ran, and none of them writes or stops. */
  readonly isThrough: boolean
}

/** Which parts run now, as far as the facts are known. */
export const runOf = (world: World, now: Date): PartsRun => {
  let parts: PartsRun['parts'] = []
  for (const stage of isDeleting(world.istio) ? deletion : life) {
    const unread = stage.map(({ name }) => name).filter(name => world.facts[name] === undefined)
    if (unread.length > 0) return { parts, unread, isThrough: false }
    const running = stage.map(part => ({ part, steps: part.steps(world, now) }))
    parts = [...parts, ...running]
    const isHeld = running.some(({ part, steps }) => steps.length > 0 || part.tells({ world, results: [], now }).stops)
    if (isHeld) return { parts, unread: [], isThrough: false }
  }
  return { parts, unread: [], isThrough: true }
}

/** Mesh resources and the Istio are no part of it. */
export const isInstallationUntouched = ({ parts }: PartsRun, istio: KubeObject): boolean =>
  parts.every(
    ({ part: { name }, steps }) =>
      name === 'resources' || steps.every(step => 'target' in step && step.target === istio),
  )

/** What each part says after its steps were tried, or before: without results. */
export const tellingsOf = (
  run: PartsRun,
  { world, results, now }: { readonly world: World; readonly results: readonly StepResult[]; readonly now: Date },
): readonly IstioTelling[] =>
  run.parts.map(({ part, steps }) =>
    part.tells({ world, results: results.filter(({ step }) => steps.includes(step)), now }),
  )
