// All that garden-reference knows when it decides.
import { referenceProtectionFinalizer } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/garden.ts'
import { hasFinalizer, type KubeObject } from '../../shared/core/object.ts'

export type World = {
  /** The Garden of this call. */
  readonly garden: Garden
  /** Every Garden, also that of this call, as it is after the objects were read: what any of them needs stays protected. */
  readonly gardens: readonly Garden[]
  /** Metadata of the Secrets and ConfigMaps in namespace garden that the Garden refers to or that carry our finalizer. */
  readonly objects: readonly KubeObject[]
}

/** Whether a Garden, Secret or ConfigMap is held by us. */
export const isProtected = (object: KubeObject): boolean => hasFinalizer(object, referenceProtectionFinalizer)
