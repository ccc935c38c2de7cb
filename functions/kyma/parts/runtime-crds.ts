// The definitions of our kinds in the runtime, copied from the control plane.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../../shared/core/decisions/steps.ts'
import { mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { runtimeCrdNames } from '../../../shared/kyma/kyma-runtime.ts'
import { runtimeCrd } from '../desired/runtime-objects.ts'
import { isControlPlane } from '../rules/runtime.ts'
import { isEstablished, isServed } from '../rules/served.ts'
import type { World } from '../world.ts'
import { runtimePart } from './runtime-part.ts'
import type { WorldWithRuntime } from './runtime-steps.ts'

const names = Object.values(runtimeCrdNames)

/** API servers serve a kind within moments after its definition is established. */
const servedSoonSeconds = 1

export const runtimeCrds = runtimePart({
  name: 'runtime-crds',
  condition: 'CRDsSync',
  steps: crdSteps,
  trouble: (world, results) => {
    const faults = [...missing(world), ...faultTexts(results)]
    return faults.length === 0 ? undefined : `could not sync CRDs: ${faults.join('; ')}`
  },
  status: ({ runtime }) => (names.every(name => isServed(runtime, name)) ? 'True' : 'Unknown'),
  // An established definition does not change any more, so no event arrives when the API server begins to serve the kind.
  againSeconds: ({ runtime }) =>
    names.every(name => isEstablished(runtime, name)) && !names.every(name => isServed(runtime, name))
      ? servedSoonSeconds
      : undefined,
})

/** No steps if the runtime is the control plane, which has its own definitions. */
function crdSteps({ source, runtime }: WorldWithRuntime): Step[] {
  if (isControlPlane(runtime, source)) return []
  return source.crds
    .map(runtimeCrd)
    .filter(wanted => !runtime.crds.some(live => isAsWanted(live, wanted)))
    .map(wanted =>
      stepTo(
        wanted,
        runtime.crds.find(({ metadata }) => metadata.name === wanted.metadata.name),
      ),
    )
}

/** First removes a conversion webhook of another program, because API servers refuse a webhook with the strategy None. */
const stepTo = (object: KubeObject, live: KubeObject | undefined): Step =>
  live && mapOrEmpty(mapOrEmpty(live.spec).conversion).webhook
    ? { do: 'patch', target: live, merge: { spec: { conversion: { strategy: 'None', webhook: null } } } }
    : { do: 'apply', object, force: true }

const isAsWanted = (live: KubeObject, wanted: KubeObject): boolean =>
  live.metadata.name === wanted.metadata.name &&
  sameJson(live.spec, wanted.spec) &&
  Object.entries(wanted.metadata.labels ?? {}).every(([label, value]) => live.metadata.labels?.[label] === value)

const missing = ({ source }: World): string[] =>
  names
    .filter(name => !source.crds.some(({ metadata }) => metadata.name === name))
    .map(name => `the control plane has no CustomResourceDefinition ${name}`)
