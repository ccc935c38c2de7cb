// Whether this version may take over what another one wrote.
import { coerce, gt, major, minor } from 'semver'

/** Why not: the other one is newer, or older by more than one minor. A Garden that nobody wrote is anybody's. */
export const gardenerVersionFault = (written: string | undefined, ours: string): string | undefined => {
  const [before, now] = [coerce(written), coerce(ours)]
  if (!before || !now) return undefined
  const isTooOld = major(before) < major(now) || minor(now) - minor(before) > 1
  return gt(before, now) || isTooOld ? `version ${ours} may not follow version ${written}` : undefined
}
