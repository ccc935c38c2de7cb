// The facts on which garden-reference decides.
import { referenceProtectionFinalizer } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { hasFinalizer, type KubeObject } from '../../shared/core/objects/object.ts'

export type World = {
  readonly garden: Garden
  /** All Gardens, including this Garden, read after the objects. An object stays protected while any Garden refers to it. */
  readonly gardens: readonly Garden[]
  /** Metadata of the Secrets and ConfigMaps in namespace garden to which the Garden refers or that have our finalizer. */
  readonly objects: readonly KubeObject[]
}

export const isProtected = (object: KubeObject): boolean => hasFinalizer(object, referenceProtectionFinalizer)
