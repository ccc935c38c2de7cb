// Whether the runtime serves a kind that we brought there: not before its definition is established.
import { isMap, mapOrEmpty } from '../../../shared/core/json.ts'
import { isDeleting } from '../../../shared/core/object.ts'
import type { RuntimeThere } from './runtime.ts'

/** `name` is that of the definition, such as `kymas.operator.kyma-project.io`. */
export const isServed = ({ crds }: Pick<RuntimeThere, 'crds'>, name: string): boolean => {
  const crd = crds.find(({ metadata }) => metadata.name === name)
  const { conditions } = mapOrEmpty(crd?.status)
  return (
    crd !== undefined &&
    !isDeleting(crd) &&
    Array.isArray(conditions) &&
    conditions.some(one => isMap(one) && one.type === 'Established' && one.status === 'True')
  )
}
