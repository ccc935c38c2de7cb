// Our version of Gardener, and whether it may follow the version in the Garden's status.
import { coerce, gt, major, minor, valid } from 'semver'
import type { GardenSettings } from '../settings.ts'

/**
 * The tag of gardener-apiserver, for example 'v1.130.0', which the Go operator compares with `status.gardener.version`. Tags that are not a
 * version are skipped, because the Go operator would refuse the Garden.
 */
export const gardenerVersion = ({ images }: Pick<GardenSettings, 'images'>): string =>
  images
    .filter(({ name }) => name === 'gardener-apiserver')
    .map(({ tag = '' }) => tag.split('@', 1).join())
    .find(tag => valid(tag)) ?? ''

/**
 * Why our version of Gardener may not follow the version in the status: it is older, or newer by more than one minor. undefined: it may
 * follow. A version below 1.0 is a version of Espalier before its first release, not of Gardener.
 */
export const gardenerVersionFault = (written: string | undefined, ours: string): string | undefined => {
  const [before, now] = [coerce(written), coerce(ours)]
  if (!before || !now || major(before) === 0) return undefined
  const fault = `Gardener ${ours} of the configured images cannot replace Gardener ${written} of status.gardener.version`
  if (gt(before, now)) return `${fault}: set images of that version or a newer one with --garden-image-override`
  const isTooOld = major(before) < major(now) || minor(now) - minor(before) > 1
  return isTooOld
    ? `${fault}: upgrade one minor version at a time, with images set by --garden-image-override`
    : undefined
}
