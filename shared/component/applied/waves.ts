// The dependents by wave (apply-order), and each wave in stages: a CRD comes before its instances.
import { type Dependent, typesBroughtBy } from '../declared/dependent.ts'
import { isManaged, ofAnyVersion, typeOf } from '../declared/managed-types.ts'
import type { EngineInput } from '../world.ts'

type Wave = { readonly order: number; readonly stages: readonly (readonly Dependent[])[] }

export const wavesOf = (dependents: readonly Dependent[], input: EngineInput): Wave[] => {
  const stageOf = stages(dependents, input)
  return [...Map.groupBy(dependents, ({ policies }) => policies.applyOrder)]
    .sort(([a], [b]) => a - b)
    .map(([order, inWave]) => ({
      order,
      stages: [...Map.groupBy(inWave, stageOf)].sort(([a], [b]) => a - b).map(([_, stage]) => stage),
    }))
}

/** First all other objects, CRDs and operators among them; then APIServices; then instances of the types these bring. */
const stages = (dependents: readonly Dependent[], { settings }: EngineInput): ((dependent: Dependent) => number) => {
  const types = [...typesBroughtBy(dependents), ...ofAnyVersion(settings.additionalManagedTypes)]
  return ({ object }) => {
    if (isManaged(types, typeOf(object))) return 2
    return object.apiVersion.startsWith('apiregistration.k8s.io/') ? 1 : 0
  }
}
