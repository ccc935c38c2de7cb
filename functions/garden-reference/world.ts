// All that garden-reference knows when it decides.
import { referenceProtectionFinalizer } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { hasFinalizer, type KubeObject } from '../../shared/core/objects/object.ts'

export type World = {
  readonly garden: Garden
  /** All Gardens, this one included, read after the objects. Whatever one of them refers to stays protected. */
  readonly gardens: readonly Garden[]
  /** Metadata of the Secrets and ConfigMaps in namespace garden that the Garden refers to or that carry our finalizer. */
  readonly objects: readonly KubeObject[]
}

export const isProtected = (object: KubeObject): boolean => hasFinalizer(object, referenceProtectionFinalizer)
