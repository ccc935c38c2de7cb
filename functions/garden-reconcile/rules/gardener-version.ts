// Which version of Gardener a Garden runs, and whether it may follow the version in the Garden's status.
import { coerce, gt, major, minor, valid } from 'semver'
import type { GardenInstallation } from '../../../shared/api/installation.ts'

/**
 * The tag of gardener-apiserver, for example 'v1.130.0': `status.gardener.version` as the Go operator compares it. Tags that are no version
 * are skipped, since the Go operator would refuse the Garden.
 */
export const gardenerVersion = ({ images }: Pick<GardenInstallation, 'images'>): string =>
  images
    .filter(({ name }) => name === 'gardener-apiserver')
    .map(({ tag = '' }) => tag.split('@', 1).join())
    .find(tag => valid(tag)) ?? ''

/**
 * Why the Gardener of our images may not follow the version in the status: it is older, or over one minor newer. undefined: it may. A version
 * below 1.0 is that of an Espalier from before its first release, not of a Gardener.
 */
export const gardenerVersionFault = (written: string | undefined, ours: string): string | undefined => {
  const [before, now] = [coerce(written), coerce(ours)]
  if (!before || !now || major(before) === 0) return undefined
  const fault = `Gardener ${ours} of our images may not follow Gardener ${written} of status.gardener.version`
  if (gt(before, now)) return `${fault}: set images of that version or a newer one with --garden-image-override`
  const isTooOld = major(before) < major(now) || minor(now) - minor(before) > 1
  return isTooOld ? `${fault}: upgrade minor by minor, with images set by --garden-image-override` : undefined
}
