// The parts of istio, in stages from top to bottom. The parts of a stage run together; the next stage runs when none of them has
// anything to write or holds. A new part is one line here, one field of Facts in world.ts, and one line in gather/all-readers.ts.
import { type DecidedPart, decidedParts } from '../../../shared/core/decisions/parts.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { installedObjects } from '../rules/installation/found-objects.ts'
import type { PartName, World } from '../world.ts'
import { blocking } from './blocking.ts'
import { envoyFilters } from './envoy-filters.ts'
import { formerSidecars } from './former-sidecars.ts'
import { meshInstallation } from './installation.ts'
import { istiodLabels } from './istiod-labels.ts'
import { leftovers } from './leftovers.ts'
import { controlPlanePart, ingressGateway } from './named-restarts.ts'
import { ownership } from './ownership.ts'
import type { IstioPart } from './part.ts'
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

/** After the last stage the finalizer is removed. */
const deletion: Stages = [[blocking], [removal], [formerSidecars], [leftovers]]

/** The parts that ran in a pass, stage by stage. */
export type PartsRun = {
  readonly parts: readonly DecidedPart<IstioPart>[]
  /** The stages that did not run yet. */
  readonly below: Stages
  /** A part writes or holds: no stage below runs in this pass. */
  readonly isHeld: boolean
}

/** What `gather` hands to `decide`: the facts, and the parts that ran while they were read. */
export type RunWorld = World & { readonly run: PartsRun }

/** Before the first stage. */
export const runBegins = (istio: KubeObject): PartsRun => ({
  parts: [],
  below: isDeleting(istio) ? deletion : life,
  isHeld: false,
})

/** The facts that the next stage needs; none: no stage runs any more in this pass. */
export const factsNeeded = ({ below: [next = []], isHeld }: PartsRun): readonly PartName[] =>
  isHeld ? [] : next.map(({ name }) => name)

export const withNextStage = ({ parts, below: [next = [], ...below] }: PartsRun, world: World, now: Date): PartsRun => {
  const decided = decidedParts(next, world, now)
  const isHeld = decided.some(({ part, steps }) => steps.length > 0 || part.holds(world, now))
  return { parts: [...parts, ...decided], below, isHeld }
}

/** All parts ran, and none of them writes or holds. */
export const isThrough = ({ below, isHeld }: PartsRun): boolean => below.length === 0 && !isHeld

/**
 * The installed objects as a pass read them; undefined: the pass wrote to some. Writes of mesh resources and of the Istio do not matter.
 */
export const untouchedInstallation = ({ run, istio, facts }: RunWorld): readonly KubeObject[] | undefined => {
  const isUntouched = ({ part: { name }, steps }: DecidedPart<IstioPart>) =>
    name === 'resources' || steps.every(step => 'target' in step && step.target === istio)
  return run.parts.every(isUntouched) ? installedObjects(facts) : undefined
}
