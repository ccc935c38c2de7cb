// Which Gardens are called when something changes in the runtime cluster: all, and there is only one.
import { gardenKind } from '../../../shared/api/garden.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'

export const gardensConcerned = async (_changed: KubeObject, { reads }: Pick<GatherContext, 'reads'>): Promise<Key[]> =>
  (await reads.list({ ...gardenKind, metadataOnly: true })).map(keyOf)
