// Patches and images that are laid over objects which something else has rendered, as a kustomization would.
import { isMap, type JsonMap } from '../core/json/json.ts'
import { RenderError } from './generator.ts'

export type Kustomizing = {
  /** As in a kustomization; each must name its target, since one without would patch by its own identity alone. */
  readonly patches?: readonly JsonMap[]
  readonly images?: readonly JsonMap[]
}

/** Throws RenderError where a patch has no target. */
export const refuseUntargeted = ({ patches = [] }: Kustomizing): void => {
  const untargeted = patches.findIndex(({ target }) => !isMap(target))
  if (untargeted >= 0) throw new RenderError(`patch ${untargeted + 1} has no target`)
}
