// The password of a Redis. It is drawn once, before anything is rendered, and goes with the Redis.
import { createHash, randomBytes } from 'node:crypto'
import { type Hooks, isDeleting, type KubeObject, type LoadedReference, secretText } from 'espalier'
import { isAlreadyExists } from 'espalier/kube'

const secretOf = ({ metadata: { namespace = '', name } }: KubeObject) => ({
  ...{ apiVersion: 'v1', kind: 'Secret' },
  ...{ namespace, name: `redis-${name}-password` },
})

export const makePassword: Hooks['postRead'][number] = async (_context, client, redis) => {
  const { namespace, name, ...secretKind } = secretOf(redis)
  if (isDeleting(redis) || (await client.get(secretOf(redis)))) return
  const { apiVersion, kind, metadata } = redis
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }
  const stringData = { password: randomBytes(18).toString('base64url') }
  const secret = { ...secretKind, metadata: { namespace, name, ownerReferences: [owner] }, stringData }
  await client.create(secret, { fieldManager: 'redis.cache.cs.sap.com' }).catch(error => {
    // Another replica was faster: its password counts.
    if (!isAlreadyExists(error)) throw error
  })
}

export const password: LoadedReference = {
  path: 'metadata.name',
  load: async (_name, { component, localClient }) => {
    const secret = await localClient.get(secretOf(component))
    return secret ? secretText(secret, 'password') : ''
  },
  digest: loaded => createHash('sha256').update(String(loaded)).digest('hex'),
}
