// A runtime as kyma reads it, and the World around it: everything in order unless a test says otherwise.
import { kymaCopy, runtimeCrd, runtimeNamespace } from '../../../functions/kyma/desired/runtime-objects.ts'
import { runtimeCatalogue } from '../../../functions/kyma/rules/module-visibility.ts'
import type { RuntimeThere } from '../../../functions/kyma/rules/runtime.ts'
import { kymaSettings } from '../../../functions/kyma/settings.ts'
import type { World } from '../../../functions/kyma/world.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames, runtimeName, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { kyma as someKyma } from './kyma.ts'

let count = 0

/** The object as an API server answers it. */
export const stored = <T extends KubeObject>(object: T): T => ({
  ...object,
  metadata: { uid: `uid-${++count}`, resourceVersion: `${count}`, generation: 1, ...object.metadata },
})

const names: readonly string[] = Object.values(runtimeCrdNames)
const definitions = kymaCrds().filter(({ metadata }) => names.includes(metadata.name))

/** The definitions in the control plane. */
export const controlPlaneCrds = definitions.map(crd => stored(crd as unknown as KubeObject))

/** The same, as a runtime has them that serves them. */
export const establishedCrds = (): readonly KubeObject[] =>
  controlPlaneCrds.map(crd => ({
    ...stored(runtimeCrd(crd)),
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  }))

export type Given = Partial<Omit<World, 'runtime'>> & { readonly runtime?: Partial<RuntimeThere> }

/** Nothing is left to do in the runtime, but for what is given. */
export const runtimeWorld = ({ runtime, ...given }: Given = {}): World => {
  const kyma: Kyma = given.kyma ?? stored(someKyma())
  const world = {
    kyma,
    settings: defaultValues(kymaSettings),
    wanted: kyma.spec,
    catalogue: { templates: [], metas: [] },
    pulled: new Map(),
    manifests: [],
    certificates: [],
    source: { crds: controlPlaneCrds },
    ...given,
  }
  return {
    ...world,
    runtime: {
      is: 'there',
      cluster: runtimeName(kyma.metadata.name),
      namespace: stored(runtimeNamespace(syncNamespace(kyma))),
      crds: establishedCrds(),
      unserved: [],
      copy: stored(kymaCopy(kyma)) as Kyma,
      catalogue: runtimeCatalogue(world).objects.map(stored),
      catalogueOfOthers: new Set(),
      ...runtime,
    },
  } as World
}

/** Every step succeeded. */
export const done = (steps: readonly Step[]): StepResult[] =>
  steps.map(step => ({ step, changed: true, ...('object' in step && { object: stored(step.object) }) }))

/** This step was refused with this text. */
export const refused = (step: Step, message: string): StepResult => {
  const subject = subjectOf(step)
  const { apiVersion, kind, metadata } = subject
  const ref = { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name }
  return { step, changed: false, error: { message, isConflict: false, isRetriable: false, ref } }
}
