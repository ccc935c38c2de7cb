// The credentials for the registry of modules. All functions that read descriptors or layers get them here.
import { isMap } from '../../core/json/json.ts'
import type { GatherContext } from '../context.ts'

/** The Secret that the installation names does not exist, or holds no credentials. */
export class NoRegistryCredentials extends Error {
  override readonly name = 'NoRegistryCredentials'
}

type Asked = Pick<GatherContext, 'reads' | 'installation'>

/**
 * The text of the dockerconfigjson Secret in this namespace that the installation names; undefined where it names none. It is read when it
 * is asked for, and once. Rejects with NoRegistryCredentials, or the error of the read.
 */
export const registryCredentials = (namespace: string, asked: Asked): (() => Promise<string | undefined>) => {
  let text: Promise<string | undefined> | undefined
  return () => {
    text ??= textIn(namespace, asked)
    return text
  }
}

const textIn = async (namespace: string, { reads, installation }: Asked): Promise<string | undefined> => {
  const { registrySecret: name } = installation.kyma.modules
  if (name === undefined) return undefined
  const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
  const text = isMap(secret?.data) ? secret.data['.dockerconfigjson'] : undefined
  if (typeof text === 'string') return Buffer.from(text, 'base64').toString()
  throw new NoRegistryCredentials(`no private oci registry auth secret found: ${namespace}/${name}`)
}
