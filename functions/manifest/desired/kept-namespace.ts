// A Namespace of a module that is not the module's to delete. It says so itself, since a Manifest keeps no more than its name.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { engineName } from './module-objects.ts'

const deletePolicy = { key: `${engineName}/delete-policy`, value: 'orphan' }

export const keptNamespace = (namespace: KubeObject): KubeObject => {
  const { metadata } = namespace
  const annotations = { ...metadata.annotations, [deletePolicy.key]: deletePolicy.value }
  return { ...namespace, metadata: { ...metadata, annotations } }
}

export const isKeptNamespace = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[deletePolicy.key] === deletePolicy.value
