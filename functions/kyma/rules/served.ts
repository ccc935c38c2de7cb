// Whether the runtime serves a kind that we brought there: not before its definition is established, and then as soon as the API server
// likes, for which there is no event. Somebody may also have changed a definition so that our version is served no more.
import { conditionOf, isTrue } from '../../../shared/core/objects/condition.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { runtimeCrdNames } from '../../../shared/kyma/kyma-runtime.ts'
import type { World } from '../world.ts'
import type { RuntimeThere } from './runtime.ts'

/** `name` is that of the definition, such as `kymas.operator.kyma-project.io`. */
export const isServed = (runtime: Pick<RuntimeThere, 'crds' | 'unserved'>, name: string): boolean =>
  isEstablished(runtime, name) && !runtime.unserved.includes(name)

/** Its definition is established, so the API server is about to serve it. */
export const isEstablished = ({ crds }: Pick<RuntimeThere, 'crds'>, name: string): boolean => {
  const crd = crds.find(({ metadata }) => metadata.name === name)
  return crd !== undefined && !isDeleting(crd) && isTrue(conditionOf(crd, 'Established'))
}

/** Nobody can read the copy, though its definition exists: what its owner wants is unknown until the kind is served. */
export const isCopyHidden = ({ kyma, runtime }: Pick<World, 'kyma' | 'runtime'>): boolean =>
  runtime.is === 'there' &&
  !isDeleting(kyma) &&
  (kyma.status?.conditions ?? []).length > 0 &&
  runtime.unserved.includes(runtimeCrdNames.kymas) &&
  runtime.crds.some(({ metadata }) => metadata.name === runtimeCrdNames.kymas)
