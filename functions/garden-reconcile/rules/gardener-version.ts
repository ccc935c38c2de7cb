// Whether this version of Gardener may continue with a Garden that another version wrote last.
import { coerce, gt, major, minor } from 'semver'

/** Why not: the other version is newer, or older by more than one minor. undefined: it may, as with a Garden that nobody wrote yet. */
export const gardenerVersionFault = (written: string | undefined, ours: string): string | undefined => {
  const [before, now] = [coerce(written), coerce(ours)]
  if (!before || !now) return undefined
  const isTooOld = major(before) < major(now) || minor(now) - minor(before) > 1
  return gt(before, now) || isTooOld ? `version ${ours} may not follow version ${written}` : undefined
}
