// What the Garden refers to in namespace garden, as it was read: texts of Secrets and ConfigMaps, and what is wrong with them.
//
//   referenceFault(world, { kind: 'Secret', name: 'audit-webhook', key: 'kubeconfig' })
//   // 'Secret garden/audit-webhook: has no key kubeconfig'
import type { GardenReferenceKind } from '../../../../shared/api/garden/references.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'

export type ReferencedKey = {
  readonly kind: GardenReferenceKind
  readonly name: string
  readonly key: string
}

/** Empty where `referenceFault` has a fault, which is asked before. */
export const referencedText = (world: World, reference: ReferencedKey): string => textAt(world, reference) ?? ''

/** It names the object and the key. */
export const referenceFault = (world: World, reference: ReferencedKey): string | undefined => {
  const { kind, name, key } = reference
  if (textAt(world, reference)) return
  const isThere = referencedObject(world, reference) !== undefined
  return `${kind} ${namespace}/${name}: ${isThere ? `has no key ${key}` : `is not there, and its key ${key} is needed`}`
}

const referencedObject = (world: World, { kind, name }: ReferencedKey): KubeObject | undefined =>
  findObject(world.runtime, { apiVersion: 'v1', kind, namespace, name })

const textAt = (world: World, reference: ReferencedKey): string | undefined => {
  const object = referencedObject(world, reference) as (KubeObject & { data?: Record<string, string> }) | undefined
  if (object === undefined) return
  return reference.kind === 'Secret' ? secretText(object, reference.key) : object.data?.[reference.key]
}
