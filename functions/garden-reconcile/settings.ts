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
        sentence: 'Time between two reconciliations of a ready Garden',
        shape: seconds(60, 86_400),
        default: '3600',
      },
      runtimeAuthoritySeconds: {
        sentence: 'Lifetime of the certificate authority that signs the servers of a Garden in its runtime cluster',
        shape: whole('seconds', 36_000, 315_360_000),
        default: '2592000',
      },
      featureGates: {
        sentence: 'Enabled feature gates of the Garden',
        shape: listShape('names of feature gates'),
      },
      /** TLS still checks the name of the Service. */
      backupSidecarAddress: {
        sentence: "Address of the backup sidecar of a Garden's main etcd, used instead of its Service",
        env: 'ESPALIER_BACKUP_SIDECAR_ADDRESS',
        shape: optional(textShape('host:port')),
      },
      imageOverride: {
        sentence: 'YAML file with container images of a Garden that replace the images of Espalier',
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
