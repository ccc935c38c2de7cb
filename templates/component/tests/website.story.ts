// The function with everything that calls it, on an API server in this process.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conditionOf, isTrue } from 'espalier'
import { startOperator } from 'espalier/testing'

const operator = await startOperator()
after(() => operator.stop())

const sample = {
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata: { namespace: 'default', name: 'test' },
  spec: { greeting: 'hello', replicas: 2 },
}
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'test' }

test('a Website has a Deployment, and is ready with it', async () => {
  await operator.create(sample)
  await operator.until(sample, object => isTrue(conditionOf(object, 'Ready')))
  const { spec } = await operator.until(deployment)
  assert.equal((spec as { replicas: number }).replicas, 2)
})

test('a Website leaves a Deployment of others alone', async () => {
  const metadata = { namespace: 'default', name: 'taken' }
  const labels = { app: 'taken' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'other' }] } }
  const spec = { selector: { matchLabels: labels }, template }
  await operator.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec })
  const taken = await operator.create({ ...sample, metadata })
  const saysWhy = /Deployment default\/taken/
  await operator.until(taken, object => saysWhy.test(String(conditionOf(object, 'Ready')?.message)))
  await operator.delete(taken)
  await operator.untilGone(taken)
  const found = await operator.until({ ...deployment, name: 'taken' })
  assert.match(JSON.stringify(found.spec), /"image":"other"/)
})

test('a Website that is deleted takes its Deployment along', async () => {
  await operator.delete(sample)
  await operator.untilGone(sample)
  await operator.untilGone(deployment)
})
