// Whether the runtime serves a kind that we brought there: not before its definition is established, and then as soon as the API server
// likes, of which no event tells.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json.ts'
import { isDeleting } from '../../../shared/core/object.ts'
import type { RuntimeThere } from './runtime.ts'

/** `name` is that of the definition, such as `kymas.operator.kyma-project.io`. */
export const isServed = (runtime: Pick<RuntimeThere, 'crds' | 'unserved'>, name: string): boolean =>
  isEstablished(runtime, name) && !runtime.unserved.includes(name)

/** Its definition is established, so the API server is about to serve it. */
export const isEstablished = ({ crds }: Pick<RuntimeThere, 'crds'>, name: string): boolean => {
  const crd = crds.find(({ metadata }) => metadata.name === name)
  const conditions = mapsIn(mapOrEmpty(crd?.status).conditions)
  return (
    crd !== undefined && !isDeleting(crd) && conditions.some(one => one.type === 'Established' && one.status === 'True')
  )
}
