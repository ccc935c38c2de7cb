// Whether the runtime serves a kind that we installed. The API server serves the kind some time after its definition is established,
// without an event. If a user changed the definition, our version may no longer be served.
import { conditionOf, isTrue } from '../../../shared/core/objects/condition.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { runtimeCrdNames } from '../../../shared/kyma/kyma-runtime.ts'
import type { World } from '../world.ts'
import type { RuntimeThere } from './runtime.ts'

/** `name`: the name of the definition, such as `kymas.operator.kyma-project.io`. */
export const isServed = (runtime: Pick<RuntimeThere, 'crds' | 'unserved'>, name: string): boolean =>
  isEstablished(runtime, name) && !runtime.unserved.includes(name)

/** The definition is established, so the API server will serve its kind. */
export const isEstablished = ({ crds }: Pick<RuntimeThere, 'crds'>, name: string): boolean => {
  const crd = crds.find(({ metadata }) => metadata.name === name)
  return crd !== undefined && !isDeleting(crd) && isTrue(conditionOf(crd, 'Established'))
}

/** The copy cannot be read although its definition exists. The desired modules are unknown until the kind is served. */
export const isCopyHidden = ({ kyma, runtime }: Pick<World, 'kyma' | 'runtime'>): boolean =>
  runtime.is === 'there' &&
  !isDeleting(kyma) &&
  (kyma.status?.conditions ?? []).length > 0 &&
  runtime.unserved.includes(runtimeCrdNames.kymas) &&
  runtime.crds.some(({ metadata }) => metadata.name === runtimeCrdNames.kymas)
