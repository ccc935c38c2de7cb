// What a test of the user's functions does with a cluster, like a user with kubectl.
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'

export type People = {
  /** A client with the rights of an administrator. */
  readonly client: Client
  create(object: KubeObject): Promise<KubeObject>
  /** Merges these fields into the object. */
  change(object: KubeObject | ObjectRef, fields: Readonly<Record<string, unknown>>): Promise<KubeObject>
  delete(object: KubeObject | ObjectRef): Promise<void>
}

const person = { fieldManager: 'test' }

export const peopleWith = (client: Client): People => ({
  client,
  create: object => client.create(object, person),
  change: (object, body) => client.patch(refTo(object), { type: 'merge', body }, person),
  delete: async object => {
    await client.delete(refTo(object), {})
  },
})

export const refTo = (object: KubeObject | ObjectRef): ObjectRef =>
  'metadata' in object ? refOf(object as KubeObject) : (object as ObjectRef)
