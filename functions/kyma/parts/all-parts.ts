// The parts of kyma, in the order in which they are judged and told. They are written at once: what must wait for another part says
// so by the `order` of its steps.
import type { Step, StepResult } from '../../../shared/core/plan.ts'
import type { World } from '../world.ts'
import { kymaCopyPart } from './kyma-copy.ts'
import { moduleCatalogue } from './module-catalogue.ts'
import { modules } from './modules.ts'
import type { Part, PartTelling } from './part.ts'
import { pullSecret } from './pull-secret.ts'
import { runtimeAgent } from './runtime-agent.ts'
import { runtimeCrds } from './runtime-crds.ts'
import { runtimeNamespacePart } from './runtime-namespace.ts'

const parts: readonly Part[] = [
  modules,
  moduleCatalogue,
  runtimeCrds,
  runtimeNamespacePart,
  kymaCopyPart,
  runtimeAgent,
  pullSecret,
]

/** What a part wants to write. */
export type PartSteps = { readonly part: Part; readonly steps: readonly Step[] }

/** What all parts write now. */
export const partSteps = (world: World, now: Date): readonly PartSteps[] =>
  parts.map(part => ({ part, steps: part.steps(world, now) }))

type Tried = { readonly parts: readonly PartSteps[]; readonly results: readonly StepResult[]; readonly now: Date }

/** What each part says after its steps were tried. */
export const partsTell = (world: World, { parts, results, now }: Tried): readonly PartTelling[] =>
  parts.map(({ part, steps }) => {
    const own = results.filter(({ step }) => steps.includes(step))
    return part.tells(world, own, now)
  })
