// The images that containers of a Garden run, of those that the installation knows.
//
//   image(world, 'etcd-druid') // 'registry.example/etcd-druid:v0.33.0'
import { coerce, satisfies } from 'semver'
import type { ContainerImage } from '../../../../shared/api/installation.ts'
import type { World } from '../../world.ts'

/** Of a container that `imageFault` has nothing against, which is asked before. */
export const image = (world: World, container: string): string => {
  const row = rowFor(world, container)
  if (row === undefined) throw new TypeError(imageFault(world, container))
  return `${row.repository}:${row.tag ?? `v${versionOf(world)}`}`
}

/** The first fields of a container that is called like its image. */
export const imageFields = (world: World, name: string) => ({
  name,
  image: image(world, name),
  imagePullPolicy: 'IfNotPresent',
})

/** Why there is no image: it names the container, and the version if rows for others are there. */
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

/** `1.34` counts as 1.34.0. */
const versionOf = ({ garden }: World): string => {
  const { version } = garden.spec.virtualCluster.kubernetes
  return coerce(version)?.version ?? version
}
