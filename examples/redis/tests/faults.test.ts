// The function under its own account, killed after each of its writes.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { KubeObject } from 'espalier'
import { type Trial, tryFunction } from 'espalier/testing'

const cache: KubeObject = {
  apiVersion: 'cache.cs.sap.com/v1alpha1',
  kind: 'Redis',
  metadata: { namespace: 'default', name: 'cache' },
  spec: { replicas: 2 },
}

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
      { change: people => people.change(cache, { spec: { replicas: 3 } }) },
      { change: people => people.delete(cache), until: object => object === undefined },
    ],
    masked,
  })
})

test('nothing is lost, whichever write is the last one of its process', () => {
  assert.ok(trial.writes.includes('create StatefulSet default/redis-cache-master'))
  assert.deepEqual(trial.lost, [])
})

test('its account may do all that it does', () => assert.deepEqual(trial.refused, []))
