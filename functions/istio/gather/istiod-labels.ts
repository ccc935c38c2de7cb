// Reads the objects that istiod made for itself.
import { istiodObjects } from '../desired/installation/istiod-objects.ts'
import type { IstiodLabelsFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

export const readIstiodLabels = async ({ context: { reads } }: ReaderInput): Promise<IstiodLabelsFacts> => {
  const found = await Promise.all(istiodObjects.map(ref => reads.get(ref, { metadataOnly: true })))
  return { found: found.filter(object => object !== undefined) }
}
