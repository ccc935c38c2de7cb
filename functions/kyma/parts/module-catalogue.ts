// The catalogue of modules in the runtime. What it holds is said in rules/visible-modules.ts.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { sameJson } from '../../../shared/core/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/object.ts'
import type { Step } from '../../../shared/core/plan.ts'
import { runtimeCrdNames } from '../rules/runtime.ts'
import { isServed } from '../rules/served.ts'
import { hasCatalogue, visibleModules } from '../rules/visible-modules.ts'
import type { World } from '../world.ts'
import type { Part } from './part.ts'
import { failures, inRuntime, isPossible } from './runtime-steps.ts'

const type = 'ModuleCatalog'
const fieldManager = kymaNames.fieldManagers.catalogue

export const moduleCatalogue: Part = {
  name: 'module-catalogue',
  steps: world =>
    isPossible(world) ? inRuntime(world, catalogueSteps(world), { fieldManager, order: 'content' }) : [],
  tells: (world, results) => {
    const { runtime } = world
    if (runtime.is === 'off' || !hasCatalogue(world)) return {}
    if (runtime.is !== 'there') return { condition: { type, status: 'Unknown', otherwise: 'Error' } }
    const faults = failures(results)
    if (faults.length === 0) {
      const isWritten = canBeWritten(world) && results.every(({ error }) => !error)
      return { condition: { type, status: isWritten ? 'True' : 'False', otherwise: 'Processing' } }
    }
    return {
      condition: { type, status: 'False', otherwise: 'Error' },
      trouble: { text: `could not synchronize module catalog: ${faults.join('; ')}`, needs: 'outside' },
    }
  },
}

const catalogueSteps = (world: World): Step[] => {
  if (world.runtime.is !== 'there' || !hasCatalogue(world) || !canBeWritten(world)) return []
  const { catalogue } = world.runtime
  const wanted = visibleModules(world)
  const isWanted = (object: KubeObject) => wanted.some(one => isSame(one, object))
  return [
    ...wanted
      .filter(object => !catalogue.some(live => isSame(live, object) && isAsWanted(live, object)))
      .map((object): Step => ({ do: 'apply', object, force: true })),
    ...catalogue
      .filter(object => !isWanted(object) && !isDeleting(object))
      .map((target): Step => ({ do: 'delete', target })),
  ]
}

const canBeWritten = ({ runtime }: World): boolean =>
  runtime.is === 'there' &&
  runtime.namespace !== undefined &&
  [runtimeCrdNames.templates, runtimeCrdNames.releases].every(name => isServed(runtime, name))

const isSame = (one: KubeObject, other: KubeObject): boolean => refText(refOf(one)) === refText(refOf(other))

const isAsWanted = (live: KubeObject, wanted: KubeObject): boolean =>
  sameJson(live.spec, wanted.spec) &&
  sameJson(live.metadata.labels ?? {}, wanted.metadata.labels ?? {}) &&
  sameJson(live.metadata.annotations ?? {}, wanted.metadata.annotations ?? {})
