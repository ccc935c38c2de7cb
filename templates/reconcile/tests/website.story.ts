// The decision alone, and the function with everything that calls it, on an API server in this process.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conditionOf, isTrue } from 'espalier'
import { startOperator } from 'espalier/testing'
import { decide, report } from '../functions/website/decide.ts'

const sample = {
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata: { namespace: 'default', name: 'test' },
  spec: { greeting: 'hello' },
}
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'test' }

test('a Website that is deleted gets no ConfigMap', () => {
  const metadata = { ...sample.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
  assert.deepEqual(decide({ object: { ...sample, metadata } }).steps, [])
})

test('a Website whose ConfigMap was refused is not ready', () => {
  const plan = decide({ object: sample })
  const error = { ref: configMap, message: 'it is forbidden', isConflict: false, isRetriable: false }
  const results = plan.steps.map(step => ({ step, changed: false, error }))
  const { status } = report({ object: sample }, plan, results, new Date())
  const ready = conditionOf({ ...sample, status }, 'Ready')
  assert.deepEqual([ready?.status, ready?.message], ['False', 'ConfigMap default/test: it is forbidden'])
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

test('a Website leaves a ConfigMap of others alone', async () => {
  const metadata = { namespace: 'default', name: 'taken' }
  await operator.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { color: 'red' } })
  const taken = await operator.create({ ...sample, metadata })
  await operator.until(taken, object => conditionOf(object, 'Ready')?.status === 'False')
  await operator.delete(taken)
  await operator.untilGone(taken)
  const { data } = await operator.until({ ...configMap, name: 'taken' })
  assert.deepEqual(data, { color: 'red' })
})

test('a Website that is deleted takes its ConfigMap along', async () => {
  await operator.delete(sample)
  await operator.untilGone(configMap)
})
