// Files of a Pod as a table: one row per volume, with the Secret or ConfigMap to mount.
//
//   const files: MountedFiles<{ world: World }>[] = [
//     bundleFiles('ca', '/srv/kubernetes/ca'),
//     { volume: 'audit', folder: '/etc/kubernetes/audit', from: auditPolicy, isOurs: true },
//   ]
//   const { volumes, volumeMounts, configObjects } = podFiles(files, { world })

import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { BundledName, SecretConfigName } from '../../rules/secrets/secret-names.ts'
import { bundleNow, secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'

export type MountedFiles<About> = {
  readonly volume: string
  readonly folder: string
  /** The object to mount. undefined: the Pod has no such volume. */
  readonly from: (about: About) => KubeObject | undefined
  /** The object is only for this Pod, and is applied together with the Deployment. */
  readonly isOurs?: boolean
}

type InWorld = { readonly world: World }

/** The current key or certificate, in a volume of the same name. */
export const secretFiles = (volume: SecretConfigName, folder: string): MountedFiles<InWorld> => ({
  volume,
  folder,
  from: ({ world }) => secretNow(world, volume),
})

/** All accepted keys or CAs, in a volume of the same name. */
export const bundleFiles = (volume: BundledName, folder: string): MountedFiles<InWorld> => ({
  volume,
  folder,
  from: ({ world }) => bundleNow(world, volume),
})

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
