// What a ManagedResource of a builder holds, as the resource manager reads it: as YAML 1.1, in which `Off` without quotes is false.
import { parse } from 'yaml'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** The objects in the Secret of the ManagedResource with this name. */
export const managedContents = (objects: readonly KubeObject[], name: string): KubeObject[] => {
  const resource = objects.find(({ kind, metadata }) => kind === 'ManagedResource' && metadata.name === name)
  const { secretRefs = [] } = (resource?.spec ?? {}) as { secretRefs?: { name: string }[] }
  return secretRefs.flatMap(ref => {
    const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === ref.name)
    const { data = {} } = (secret ?? {}) as { data?: Record<string, string> }
    return Object.values(data).map(contentOf)
  })
}

const contents = new Map<string, KubeObject>()

/** The same object for the same text: most are in every Garden. */
const contentOf = (base64: string): KubeObject => {
  const content = contents.get(base64) ?? parse(Buffer.from(base64, 'base64').toString(), { version: '1.1' })
  contents.set(base64, content)
  return content
}
