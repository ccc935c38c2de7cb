// Settings of garden-reconcile.

import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, optional, seconds, textShape, whole } from '../../shared/core/settings/shapes.ts'
import { virtualGardenSettings } from '../../shared/core/settings/virtual-garden.ts'

export const gardenFeatureGates = ['DefaultSeccompProfile'] as const

export type GardenFeatureGate = (typeof gardenFeatureGates)[number]

export const gardenReconcileSettings = {
  ...settingsTable(
    {
      syncSeconds: {
        sentence: 'How often a Garden that is up is brought up anew',
        shape: seconds(60, 86_400),
        default: '3600',
      },
      runtimeAuthoritySeconds: {
        sentence: 'How long the authority lives that signs servers of a Garden in its runtime cluster',
        shape: whole('seconds', 36_000, 315_360_000),
        default: '2592000',
      },
      featureGates: {
        sentence: 'Feature gates of the Garden that are on',
        shape: listShape('names of feature gates'),
      },
      /** TLS still checks the name of the Service. */
      backupSidecarAddress: {
        sentence: "Where the backup sidecar of a Garden's main etcd is dialled instead of its Service",
        env: 'ESPALIER_BACKUP_SIDECAR_ADDRESS',
        shape: optional(textShape('host:port')),
      },
      imageOverride: {
        sentence: "A YAML file with images for containers of a Garden that replace Espalier's",
        shape: optional(textShape('a file')),
      },
    },
    'garden',
  ),
  ...virtualGardenSettings,
}

export type GardenSettings = SettingsOf<typeof gardenReconcileSettings> & {
  /** Images, overrides first. The first matching row for a container counts. */
  readonly images: readonly ContainerImage[]
}

/** For example `{ name: 'etcd-druid', repository: 'registry.example/etcd-druid', tag: 'v0.33.0' }`. */
export type ContainerImage = {
  readonly name: string
  readonly repository: string
  /** Default: `v` and the Garden's Kubernetes version. */
  readonly tag?: string
  /** A range of the Garden's Kubernetes versions. Default: all. */
  readonly targetVersion?: string
}
