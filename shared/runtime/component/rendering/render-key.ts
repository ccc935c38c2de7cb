// The key from which rendering draws what looks random: a Secret made once. Whoever reads it could tell what charts
// draw, so it lies beside the program and not beside the components.
import { randomBytes } from 'node:crypto'
import { isMap, isText } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { isAlreadyExists } from '../../../kube/errors.ts'

const name = 'espalier-render-key'
const field = 'key'

/** Of two that make one at once, the first wins for both. */
export const renderKey = async (client: Client, { namespace, fieldManager }: KeyPlace): Promise<Buffer> => {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name }
  const found = keyIn(await client.get(ref))
  if (found) return found
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', immutable: true },
    data: { [field]: randomBytes(32).toString('base64') },
  }
  const made = await client.create(secret, { fieldManager }).catch(error => {
    if (isAlreadyExists(error)) return client.get(ref)
    throw error
  })
  const key = keyIn(made)
  if (!key) throw new Error(`the Secret ${namespace}/${name} holds no key`)
  return key
}

type KeyPlace = { readonly namespace: string; readonly fieldManager: string }

const keyIn = (secret: KubeObject | undefined): Buffer | undefined => {
  const text = isMap(secret?.data) ? secret.data[field] : undefined
  return isText(text) ? Buffer.from(text, 'base64') : undefined
}
