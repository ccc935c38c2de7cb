// The function under its own account. Its process dies after each of its writes, and another one goes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryFunction } from 'espalier/testing'

const sample = {
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata: { namespace: 'default', name: 'test' },
  spec: { greeting: 'hello' },
}

test('nothing is lost when its process dies, and serverless.yml allows all that it does', async () => {
  const { writes, lost, refused } = await tryFunction({
    function: 'website',
    object: sample,
    stages: [
      { change: people => people.create(sample) },
      { change: people => people.change(sample, { spec: { greeting: 'good morning' } }) },
      { change: people => people.delete(sample), until: object => object === undefined },
    ],
  })
  assert.notEqual(writes.length, 0)
  assert.deepEqual(lost, [])
  assert.deepEqual(refused, [])
})
