// The function under its own account, killed after each of its writes.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { type KubeObject, secretText } from 'espalier'
import { type People, type Trial, tryFunction } from 'espalier/testing'

const cache: KubeObject = {
  apiVersion: 'cache.cs.sap.com/v1alpha1',
  kind: 'Redis',
  metadata: { namespace: 'default', name: 'cache' },
  spec: { replicas: 2 },
}

const passwordIn = async ({ client }: People, name: string): Promise<string | undefined> => {
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name })
  return secret && secretText(secret, 'password')
}

let drawn: string | undefined

/** Passwords are drawn anew in each run. */
const masked = (object: KubeObject): KubeObject => (object.kind === 'Secret' ? { ...object, data: undefined } : object)

let trial: Trial
before(async () => {
  trial = await tryFunction({
    folder: join(import.meta.dirname, '..'),
    function: 'redis',
    object: cache,
    stages: [
      { change: people => people.create(cache) },
      {
        change: async people => {
          drawn = await passwordIn(people, 'redis-cache-password')
          assert.ok(drawn)
          await people.change(cache, { spec: { replicas: 3 } })
        },
      },
      {
        change: async people => {
          for (const name of ['redis-cache-password', 'redis-cache-binding'])
            assert.equal(await passwordIn(people, name), drawn, `${name} has the password that was drawn first`)
          await people.delete(cache)
        },
        until: object => object === undefined,
      },
    ],
    masked,
  })
})

test('nothing is lost, whichever write is the last one of its process', () => {
  assert.ok(trial.writes.includes('create StatefulSet default/redis-cache-master'))
  assert.deepEqual(trial.lost, [])
})

test('its account may do all that it does', () => assert.deepEqual(trial.refused, []))
