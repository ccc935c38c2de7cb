// The decision alone, and the function with everything that calls it, on an API server in this process.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conditionOf, isTrue } from 'espalier'
import { startOperator } from 'espalier/testing'
import { decide } from '../functions/website/decide.ts'

const sample = {
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata: { namespace: 'default', name: 'test' },
  spec: { greeting: 'hello' },
}
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'test' }

test('a Website that is deleted gets no ConfigMap', () => {
  const metadata = { ...sample.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
  assert.deepEqual(decide({ object: { ...sample, metadata } }, new Date()).steps, [])
})

const operator = await startOperator()
after(() => operator.stop())

test('a Website has a ConfigMap, and gets it back', async () => {
  await operator.create(sample)
  await operator.until(sample, object => isTrue(conditionOf(object, 'Ready')))
  const { metadata } = await operator.until(configMap, ({ data }) => (data as { greeting: string }).greeting === 'hello')
  await operator.delete(configMap)
  await operator.until(configMap, again => again.metadata.uid !== metadata.uid)
})

test('a Website that is deleted takes its ConfigMap along', async () => {
  await operator.delete(sample)
  await operator.untilGone(configMap)
})
