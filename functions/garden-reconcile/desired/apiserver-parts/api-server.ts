// What the Deployments of both API servers, kube-apiserver and gardener-apiserver, need: their input, and the texts of Secrets and ConfigMaps
// in namespace garden to which the Garden refers.
import type { GardenReferenceKind } from '../../../../shared/api/garden/references.ts'
import type { GardenFields } from '../../../../shared/api/garden.ts'
import {
  gardenConfigurations,
  gardenKubeconfigs,
  kubeconfigKey,
} from '../../../../shared/core/apiserver/garden-contents.ts'
import { kubeconfigFault } from '../../../../shared/core/apiserver/kubeconfig-file.ts'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { tlsCertificate } from '../../../../shared/core/tls/certificate.ts'
import { findObject } from '../../rules/objects.ts'
import type { EncryptingServer } from '../../rules/rotation/encryption-moves.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-configs.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'

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

export type ReferencedKey = { readonly kind: GardenReferenceKind; readonly name: string; readonly key: string }

export const kubeconfigOf = (name: string): ReferencedKey => ({ kind: 'Secret', name, key: kubeconfigKey })

/** Empty if `referenceFault` reports a fault. Callers check `referenceFault` first. */
export const referencedText = (world: World, reference: ReferencedKey): string => textAt(world, reference) ?? ''

/** For example, `Secret garden/audit-webhook: has no key kubeconfig`. */
export const referenceFault = (world: World, reference: ReferencedKey): string | undefined => {
  const { kind, name, key } = reference
  if (textAt(world, reference)) return
  const isThere = referencedObject(world, reference) !== undefined
  return `${kind} ${namespace}/${name}: ${isThere ? `has no key ${key}` : `does not exist, but its key ${key} is needed`}`
}

/** Faults of a Secret with a server's certificate. */
export const certificateFaults = (world: World, name: string): string[] => {
  const missing = ['tls.crt', 'tls.key'].flatMap(key => referenceFault(world, { kind: 'Secret', name, key }) ?? [])
  const secret = referencedObject(world, { kind: 'Secret', name })
  if (missing.length > 0 || tlsCertificate(secret)) return missing
  return [`Secret ${namespace}/${name}: tls.crt contains no certificate, or tls.key does not belong to the certificate`]
}

/** Faults of referenced content that would prevent the start of the server. `referenceFault` reports missing content. */
export const contentFaults = (world: World, server: EncryptingServer): string[] => {
  const { garden } = world
  const faults = [
    ...gardenConfigurations.map(({ name, key, fault, ...row }) => ({
      server: row.server,
      reference: { kind: 'ConfigMap', key, name: name(garden) ?? '' } as const,
      fault: (content: string) => fault(garden, content),
    })),
    ...gardenKubeconfigs(garden).map(use => ({
      server: use.server,
      reference: kubeconfigOf(use.name),
      fault: (content: string) => kubeconfigFault(use, content),
    })),
  ].flatMap(({ reference, fault, ...row }) => {
    const content = row.server === server ? referencedText(world, reference) : ''
    const found = content === '' ? undefined : fault(content)
    return found === undefined
      ? []
      : [`${reference.kind} ${namespace}/${reference.name}, key ${reference.key}: ${found}`]
  })
  return [...new Set(faults)]
}

const referencedObject = (world: World, { kind, name }: Omit<ReferencedKey, 'key'>): KubeObject | undefined =>
  findObject(world.runtime, { apiVersion: 'v1', kind, namespace, name })

const textAt = (world: World, reference: ReferencedKey): string | undefined => {
  const object = referencedObject(world, reference) as (KubeObject & { data?: Record<string, string> }) | undefined
  if (object === undefined) return
  return reference.kind === 'Secret' ? secretText(object, reference.key) : object.data?.[reference.key]
}
