// The parts of istio in stages. All parts of a stage run. The next stage runs only if no part of the stage writes or holds. A new part also
// needs a field of Facts (world.ts) and a reader (gather/all-readers.ts).
import { type DecidedPart, decidedParts } from '../../../shared/core/decisions/parts.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { installedObjects } from '../rules/installed-objects.ts'
import type { PartName, World } from '../world.ts'
import { meshInstallation, ownership } from './installation.ts'
import type { IstioPart } from './part.ts'
import { blocking, leftovers, removal } from './removal.ts'
import { envoyFilters, istiodLabels, resources } from './resources.ts'
import { controlPlanePart, formerSidecars, ingressGateway, podVersions, sidecars } from './restarts.ts'

type Stages = readonly (readonly IstioPart[])[]

const life: Stages = [
  [ownership],
  [meshInstallation],
  [podVersions],
  [resources],
  [ingressGateway, sidecars, controlPlanePart, envoyFilters],
  [istiodLabels],
]

/** The finalizer is removed after the last stage. */
const deletion: Stages = [[blocking], [removal], [formerSidecars], [leftovers]]

export type PartsRun = {
  readonly parts: readonly DecidedPart<IstioPart>[]
  readonly below: Stages
  /** A part writes or holds, so no further stage runs in this pass. */
  readonly isHeld: boolean
}

/** The facts, and the parts that ran while they were read. */
export type RunWorld = World & { readonly run: PartsRun }

export const runBegins = (istio: KubeObject): PartsRun => ({
  parts: [],
  below: isDeleting(istio) ? deletion : life,
  isHeld: false,
})

/** The parts of the next stage. Empty: no further stage runs in this pass. */
export const factsNeeded = ({ below: [next = []], isHeld }: PartsRun): readonly PartName[] =>
  isHeld ? [] : next.map(({ name }) => name)

export const withNextStage = ({ parts, below: [next = [], ...below] }: PartsRun, world: World, now: Date): PartsRun => {
  const decided = decidedParts(next, world, now)
  const isHeld = decided.some(({ part, steps }) => steps.length > 0 || part.holds(world, now))
  return { parts: [...parts, ...decided], below, isHeld }
}

export const isThrough = ({ below, isHeld }: PartsRun): boolean => below.length === 0 && !isHeld

/**
 * The installed objects that a pass read. undefined: the pass wrote an installed object. Writes to mesh resources and to the Istio do not
 * count.
 */
export const untouchedInstallation = ({ run, istio, facts }: RunWorld): readonly KubeObject[] | undefined => {
  const isUntouched = ({ part: { name }, steps }: DecidedPart<IstioPart>) =>
    name === 'resources' || steps.every(step => 'target' in step && step.target === istio)
  return run.parts.every(isUntouched) ? installedObjects(facts) : undefined
}
