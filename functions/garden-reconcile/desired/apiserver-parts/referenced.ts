// Texts of the Secrets and ConfigMaps in namespace garden to which the Garden refers, and faults of these texts.
//
//   referenceFault(world, { kind: 'Secret', name: 'audit-webhook', key: 'kubeconfig' })
//   // 'Secret garden/audit-webhook: has no key kubeconfig'
import type { GardenReferenceKind } from '../../../../shared/api/garden/references.ts'
import {
  gardenConfigurations,
  gardenKubeconfigs,
  kubeconfigKey,
} from '../../../../shared/core/apiserver/garden-contents.ts'
import { kubeconfigFault } from '../../../../shared/core/apiserver/kubeconfig-file.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { tlsCertificate } from '../../../../shared/core/tls/tls-secret.ts'
import { findObject } from '../../rules/objects.ts'
import type { EncryptingServer } from '../../rules/rotation/encryption-moves.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'

export type ReferencedKey = {
  readonly kind: GardenReferenceKind
  readonly name: string
  readonly key: string
}

/** Empty if `referenceFault` reports a fault. Callers check `referenceFault` first. */
export const referencedText = (world: World, reference: ReferencedKey): string => textAt(world, reference) ?? ''

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
  const configurations = gardenConfigurations.map(({ name, key, fault, ...row }) => ({
    ...row,
    ...{ kind: 'ConfigMap' as const, key, name: name(garden) ?? '' },
    fault: (content: string) => fault(garden, content),
  }))
  const kubeconfigs = gardenKubeconfigs(garden).map(use => ({
    ...{ server: use.server, kind: 'Secret' as const, key: kubeconfigKey, name: use.name },
    fault: (content: string) => kubeconfigFault(use, content),
  }))
  const faults = [...configurations, ...kubeconfigs]
    .filter(row => row.server === server)
    .flatMap(({ kind, name, key, fault }) => {
      const content = referencedText(world, { kind, name, key })
      const found = content === '' ? undefined : fault(content)
      return found === undefined ? [] : [`${kind} ${namespace}/${name}, key ${key}: ${found}`]
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
