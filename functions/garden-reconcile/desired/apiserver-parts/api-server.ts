// The input for the Deployments of both API servers, kube-apiserver and gardener-apiserver. The tables in this folder have the rows of both
// servers. Each server also has its own table:
//
//   const server: ApiServer = {
//     ...{ world, name: 'gardener-apiserver', fields: spec.virtualCluster.gardener.gardenerAPIServer ?? {} },
//     certificate: 'gardener-apiserver',
//   }
//   flagTexts([...sharedFlags, ...ownFlags], server) // container.args
//   podFiles([...sharedFiles, ...ownFiles], server) // volumes, volumeMounts, and the config objects to apply
//   sharedReferenceFaults(server) // for the row's `faults`

import type { GardenFields } from '../../../../shared/api/garden.ts'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { EncryptingServer } from '../../rules/rotation/encryption-moves.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-names.ts'
import type { World } from '../../world.ts'

type ApiServerFields = NonNullable<GardenFields['spec']['virtualCluster']['gardener']['gardenerAPIServer']>

export type ApiServer = {
  readonly world: World
  readonly name: EncryptingServer
  readonly fields: Pick<
    ApiServerFields,
    'admissionPlugins' | 'auditConfig' | 'auditWebhook' | 'featureGates' | 'logging' | 'requests' | 'watchCacheSizes'
  >
  readonly certificate: SecretConfigName
}

/** Starts all new Pods before an old Pod stops. */
export const apiServerRollout = {
  minReadySeconds: 30,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
} as const

export const apiServerProbe = (httpGet: JsonMap, initialDelaySeconds: number) => ({
  httpGet: { ...httpGet, scheme: 'HTTPS' },
  initialDelaySeconds,
  periodSeconds: 10,
  timeoutSeconds: 15,
  successThreshold: 1,
  failureThreshold: 3,
})
