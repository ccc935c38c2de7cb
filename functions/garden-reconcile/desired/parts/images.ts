// Finds the images of a Garden's containers, and our version of Gardener, in the images of the installation.
//
//   image(world, 'etcd-druid') // 'registry.example/etcd-druid:v0.33.0'
import { coerce, gt, major, minor, satisfies, valid } from 'semver'
import type { ContainerImage, GardenSettings } from '../../settings.ts'
import type { World } from '../../world.ts'

/** The image of a container. Callers check `imageFault` first. */
export const image = (world: World, container: string): string => {
  const row = rowFor(world, container)
  if (row === undefined) throw new TypeError(imageFault(world, container))
  return `${row.repository}:${row.tag ?? `v${versionOf(world)}`}`
}

/** Name, image and pull policy of a container. The container has the same name as its image. */
export const imageFields = (world: World, name: string) => ({
  name,
  image: image(world, name),
  imagePullPolicy: 'IfNotPresent',
})

/** Why a container has no image. Names the container, and the version if other versions have an image. */
export const imageFault = (world: World, container: string): string | undefined => {
  if (rowFor(world, container) !== undefined) return
  const isKnown = world.settings.images.some(({ name }) => name === container)
  return `no image for container ${container}${isKnown ? ` and Kubernetes ${versionOf(world)}` : ''}`
}

const rowFor = (world: World, container: string): ContainerImage | undefined =>
  world.settings.images.find(
    ({ name, targetVersion }) =>
      name === container && (targetVersion === undefined || satisfies(versionOf(world), targetVersion)),
  )

/** `1.34` means 1.34.0. */
const versionOf = ({ garden }: World): string => {
  const { version } = garden.spec.virtualCluster.kubernetes
  return coerce(version)?.version ?? version
}

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
