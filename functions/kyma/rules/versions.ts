// Which versions of a module may follow which versions. A module never goes back to a lower version automatically, because the old version
// may not be able to read objects of the new version.
import { compare, parse } from 'semver'

/** Why a module must not go from one version to the other. undefined: it may. */
type VersionFault =
  | { readonly is: 'downgrade' }
  /** `side`: which of the two versions is not a semantic version. */
  | { readonly is: 'noVersion'; readonly side: 'installed' | 'next' }

/** Ignores a leading `v` and build metadata. */
export const versionFault = (installed: string, next: string): VersionFault | undefined => {
  const [from, to] = [parse(installed), parse(next)]
  if (to === null) return { is: 'noVersion', side: 'next' }
  if (from === null) return { is: 'noVersion', side: 'installed' }
  return compare(from, to) > 0 ? { is: 'downgrade' } : undefined
}
