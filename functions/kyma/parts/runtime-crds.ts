// The definitions of our kinds in the runtime: those of the control plane.
import { sameJson } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import type { Step } from '../../../shared/core/plan.ts'
import { runtimeCrd } from '../desired/runtime-crd.ts'
import { runtimeCrdNames } from '../rules/runtime.ts'
import { isServed } from '../rules/served.ts'
import type { World } from '../world.ts'
import type { Part } from './part.ts'
import { failures, inRuntime, isPossible } from './runtime-steps.ts'

const names = Object.values(runtimeCrdNames)

export const runtimeCrds: Part = {
  name: 'runtime-crds',
  steps: world => (isPossible(world) ? inRuntime(world, crdSteps(world)) : []),
  tells: (world, results) => {
    const { runtime } = world
    if (runtime.is === 'off') return {}
    if (runtime.is !== 'there') return { condition: { type: 'CRDsSync', status: 'Unknown', otherwise: 'Error' } }
    const faults = [...missing(world), ...failures(results)]
    if (faults.length === 0) {
      const status = names.every(name => isServed(runtime, name)) ? 'True' : 'Unknown'
      return { condition: { type: 'CRDsSync', status, otherwise: 'Processing' } }
    }
    return {
      condition: { type: 'CRDsSync', status: 'False', otherwise: 'Error' },
      trouble: { text: `could not sync CRDs: ${faults.join('; ')}`, needs: 'outside' },
    }
  },
}

/** The control plane has its own already. */
const crdSteps = ({ source, runtime }: World): Step[] =>
  runtime.is !== 'there' || runtime.isControlPlane
    ? []
    : source.crds
        .map(runtimeCrd)
        .filter(wanted => !runtime.crds.some(live => isAsWanted(live, wanted)))
        .map(object => ({ do: 'apply', object, force: true }))

const isAsWanted = (live: KubeObject, wanted: KubeObject): boolean =>
  live.metadata.name === wanted.metadata.name &&
  sameJson(live.spec, wanted.spec) &&
  Object.entries(wanted.metadata.labels ?? {}).every(([label, value]) => live.metadata.labels?.[label] === value)

const missing = ({ source }: World): string[] =>
  names
    .filter(name => !source.crds.some(({ metadata }) => metadata.name === name))
    .map(name => `the control plane has no CustomResourceDefinition ${name}`)
