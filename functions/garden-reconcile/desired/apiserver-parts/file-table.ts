// Files of a Pod as a table: one row per volume, with the Secret or ConfigMap to mount.
//
//   const files: MountedFiles<World>[] = [
//     { volume: 'ca', folder: '/srv/kubernetes/ca', from: world => bundleNow(world, 'ca') },
//     { volume: 'audit', folder: '/etc/kubernetes/audit', from: auditPolicy, isOurs: true },
//   ]
//   const { volumes, volumeMounts, configObjects } = podFiles(files, world)
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

export type MountedFiles<About> = {
  readonly volume: string
  readonly folder: string
  /** undefined: there is no such volume. */
  readonly from: (about: About) => KubeObject | undefined
  /** The object is made for this Pod only, and applied with it. */
  readonly isOurs?: boolean
}

type PodFiles = {
  readonly volumes: readonly JsonMap[]
  readonly volumeMounts: readonly JsonMap[]
  readonly configObjects: readonly KubeObject[]
}

export const podFiles = <About>(table: readonly MountedFiles<About>[], about: About): PodFiles => {
  const shown = table.flatMap(({ from, ...row }) => {
    const object = from(about)
    return object ? [{ ...row, object }] : []
  })
  return {
    volumes: shown.map(({ volume, object }) => ({ name: volume, ...sourceOf(object) })),
    volumeMounts: shown.map(({ volume, folder }) => ({ name: volume, mountPath: folder, readOnly: true })),
    configObjects: shown.flatMap(({ object, isOurs }) => (isOurs ? [object] : [])),
  }
}

const sourceOf = ({ kind, metadata: { name } }: KubeObject): JsonMap =>
  kind === 'ConfigMap' ? { configMap: { name } } : { secret: { secretName: name, defaultMode: 0o640 } }
