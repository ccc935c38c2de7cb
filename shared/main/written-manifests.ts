// Writes or compares a folder of generated manifests, and says what it did.
import { differences, mend } from '../deploy/manifests/manifest-files.ts'
import type { ManifestFile } from '../deploy/manifests/yaml-text.ts'

export const done = { 'is missing': 'is new', differs: 'is written anew', 'is left over': 'is removed' } as const

/** `isCheck`: nothing is written. A line for each file that differed. */
export const writtenManifests = (
  folder: string,
  wanted: readonly ManifestFile[],
  isCheck: boolean,
): { lines: string[]; differs: boolean } => {
  const found = differences(folder, wanted)
  if (!isCheck) mend(folder, found)
  return {
    lines: found.map(({ path, fault }) => `manifests/${path} ${isCheck ? fault : done[fault]}`),
    differs: found.length > 0,
  }
}
