// Keeps the key for random values of templates (`randAlphaNum` and similar), so that the same revision gets the same values. The Secret is
// in the program's namespace, because a reader of the Secret could compute these values.
import { randomBytes } from 'node:crypto'
import { isMap, isText } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Client, Reads } from '../../../kube/client-types.ts'
import { isAlreadyExists, isForbidden, nothingIf } from '../../../kube/errors.ts'

const name = 'espalier-render-key'
const field = 'key'

/** Reads or creates the key. If two processes create the key at once, both use the first key. */
export const renderKey = async (client: Client, namespace: string): Promise<Buffer> => {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name }
  const found = keyIn(await client.get(ref))
  if (found) return found
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    immutable: true,
    data: { [field]: randomBytes(32).toString('base64') },
  }
  const made = await client.create(secret, { fieldManager: 'espalier' }).catch(error => {
    if (isAlreadyExists(error)) return client.get(ref)
    throw error
  })
  const key = keyIn(made)
  if (!key) throw new Error(`the Secret ${namespace}/${name} contains no key`)
  return key
}

/** For plans that are only shown. If the Secret is missing or forbidden, random values differ from the values of a real rendering. */
export const storedRenderKey = async (reads: Pick<Reads, 'get'>, namespace: string): Promise<Buffer> => {
  const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }).catch(nothingIf(isForbidden))
  return keyIn(secret) ?? Buffer.alloc(32)
}

const keyIn = (secret: KubeObject | undefined): Buffer | undefined => {
  const text = isMap(secret?.data) ? secret.data[field] : undefined
  return isText(text) ? Buffer.from(text, 'base64') : undefined
}
