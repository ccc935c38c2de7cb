// The catalogue of modules in the runtime. rules/module-visibility.ts decides its content.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { sameJson } from '../../../shared/core/json/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { runtimeCrdNames } from '../../../shared/kyma/kyma-runtime.ts'
import { catalogueWithout } from '../reasons.ts'
import { hasCatalogue, runtimeCatalogue } from '../rules/module-visibility.ts'
import { isServed } from '../rules/runtime.ts'
import { faultsInNamespace, runtimePart, type WorldWithRuntime } from './part.ts'

export const moduleCatalogue = runtimePart({
  name: 'module-catalogue',
  condition: 'ModuleCatalog',
  fieldManager: kymaNames.fieldManagers.catalogue,
  order: 'content',
  isWanted: hasCatalogue,
  steps: world => (canBeWritten(world) ? catalogueSteps(world) : []),
  trouble: (world, results) => {
    const faults = faultsInNamespace(world, results)
    return faults.length === 0 ? undefined : `could not synchronize module catalog: ${faults.join('; ')}`
  },
  status: (world, results) => (canBeWritten(world) && results.every(({ error }) => !error) ? 'True' : 'False'),
  message: world => {
    const { leftOut } = runtimeCatalogue(world)
    return leftOut.length === 0 ? undefined : catalogueWithout(leftOut)
  },
})

const catalogueSteps = (world: WorldWithRuntime): Step[] => {
  const { catalogue, catalogueOfOthers } = world.runtime
  const wanted = runtimeCatalogue(world).objects
  const isNew = (object: KubeObject): boolean =>
    !catalogue.some(live => isSame(live, object)) && catalogueOfOthers?.has(refText(refOf(object))) === false
  const isWanted = (object: KubeObject) => wanted.some(one => isSame(one, object))
  return [
    ...wanted
      .filter(object => !catalogue.some(live => isSame(live, object) && isAsWanted(live, object)))
      .map(
        (object): Step =>
          isNew(object) ? { do: 'create', object, isOfNewKind: true } : { do: 'apply', object, force: true },
      ),
    ...catalogue
      .filter(object => !isWanted(object) && !isDeleting(object))
      .map((target): Step => ({ do: 'delete', target })),
  ]
}

/** The namespace may be missing: the same pass creates it before. */
const canBeWritten = ({ runtime }: WorldWithRuntime): boolean =>
  [runtimeCrdNames.templates, runtimeCrdNames.releases].every(name => isServed(runtime, name))

const isSame = (one: KubeObject, other: KubeObject): boolean => refText(refOf(one)) === refText(refOf(other))

const isAsWanted = (live: KubeObject, wanted: KubeObject): boolean =>
  sameJson(live.spec, wanted.spec) &&
  sameJson(live.metadata.labels ?? {}, wanted.metadata.labels ?? {}) &&
  sameJson(live.metadata.annotations ?? {}, wanted.metadata.annotations ?? {})
