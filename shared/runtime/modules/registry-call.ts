// Reads the registry of modules with the installation's credentials, and caches the results.
import { kymaNames } from '../../api/kyma/names.ts'
import type { Reading } from '../../core/decisions/reading.ts'
import { isMap } from '../../core/json/json.ts'
import { errorText } from '../../core/text/error-text.ts'
import { isTrouble } from '../../kube/errors.ts'
import type { RegistrySettings } from '../../kyma/settings.ts'
import type { BegunCall, GatherContext } from '../context.ts'
import { layerHashes } from './layer-hashes.ts'

type Artifacts = NonNullable<BegunCall['artifacts']>

type ComponentVersion = Pick<Parameters<Artifacts['componentLayer']>[0], 'registry' | 'component' | 'version'>

type HashedBlob = { readonly repository: string; readonly digest: string; readonly hash: string }

export type RegistryCall = {
  /** Reads the layer with the descriptor of a component version. Rejects when the local API server fails. */
  componentLayer(asked: ComponentVersion): Promise<Reading<Uint8Array>>
  /** Hex digests of a blob and, if it is gzipped, of its content. Rejects when the local API server fails, or the call ends. */
  layerDigests(asked: HashedBlob): Promise<Reading<readonly string[]>>
}

export const registryCall = (call: BegunCall<RegistrySettings>): RegistryCall => {
  const { artifacts, signal, memory } = call
  const asks = { signal, dockerConfig: registryCredentials(kymaNames.namespaces.controlPlane, call) }
  const tried = async (pull: (from: Artifacts) => Promise<Uint8Array>): Promise<Reading<Uint8Array>> => {
    if (!artifacts) return { failed: 'this process is not configured to pull artifacts' }
    try {
      return { read: await pull(artifacts) }
    } catch (error) {
      if (isTrouble(error)) throw error
      return { failed: errorText(error) }
    }
  }
  return {
    componentLayer: async asked => {
      const key = [asked.registry, asked.component, asked.version].join(' ')
      const kept = memory.modules.descriptorLayers.peek(key)
      if (kept) return { read: kept }
      const pulled = await tried(from => from.componentLayer({ ...asked, ...asks }))
      if ('read' in pulled) memory.modules.descriptorLayers.set(key, pulled.read)
      return pulled
    },
    layerDigests: async ({ repository, digest, hash }) => {
      const key = `${digest} ${hash}`
      const kept = memory.modules.layerDigests.get(key)
      if (kept) return { read: kept }
      const pulled = await tried(from => from.blob({ repository, digest, ...asks }))
      if ('failed' in pulled) return pulled
      const digests = await layerHashes(pulled.read, { hash, signal })
      memory.modules.layerDigests.set(key, digests)
      return { read: digests }
    },
  }
}

/** The Secret of the installation does not exist, or has no credentials. */
export class NoRegistryCredentials extends Error {
  override readonly name = 'NoRegistryCredentials'
}

type Asked = Pick<GatherContext<Pick<RegistrySettings, 'registrySecret'>>, 'reads' | 'settings'>

/**
 * Reads the installation's dockerconfigjson Secret on demand, once; undefined when no Secret is configured. Rejects with
 * NoRegistryCredentials, or the error of the read.
 */
export const registryCredentials = (namespace: string, asked: Asked): (() => Promise<string | undefined>) => {
  let text: Promise<string | undefined> | undefined
  return () => {
    text ??= textIn(namespace, asked)
    return text
  }
}

const textIn = async (namespace: string, { reads, settings }: Asked): Promise<string | undefined> => {
  const { registrySecret: name } = settings
  if (name === undefined) return undefined
  const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
  const text = isMap(secret?.data) ? secret.data['.dockerconfigjson'] : undefined
  if (typeof text === 'string') return Buffer.from(text, 'base64').toString()
  throw new NoRegistryCredentials(`no private oci registry auth secret found: ${namespace}/${name}`)
}
