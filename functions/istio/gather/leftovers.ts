// Reads mesh resources outside the Istio's namespace. They have no owner, so the garbage collector does not delete them.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { getIfServed, reading } from '../../../shared/kube/reading.ts'
import { resourceRows } from '../desired/resources/resource-rows.ts'
import type { LeftoversFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

export const readLeftovers = async ({ context, world }: ReaderInput, rows = resourceRows): Promise<LeftoversFacts> => {
  const outside = rows.filter(({ ref }) => ref.namespace !== world.istio.metadata.namespace)
  const read = async (): Promise<KubeObject[]> => {
    const found = await Promise.all(outside.map(({ ref }) => getIfServed(context.reads, ref)))
    return found.filter(object => object !== undefined)
  }
  return { resources: await reading(read()) }
}
