// The verdict alone, and as the API server asks for it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperator } from 'espalier/testing'
import { review } from '../functions/website/index.ts'

const saying = (greeting: string) => ({
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata: { namespace: 'default', name: 'test' },
  spec: { greeting },
})

test('a Website with a greeting is allowed', () => {
  assert.deepEqual(review({ object: saying('hello') }), { allowed: true })
})

const operator = await startOperator()
after(() => operator.stop())

test('a Website with a blank greeting is refused', async () => {
  await assert.rejects(operator.create(saying('  ')), /spec.greeting is blank/)
  await operator.create(saying('hello'))
})
