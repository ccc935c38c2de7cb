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
  const containers = [{ name: 'other', image: 'other' }]
  const template = { metadata: { labels: { app: 'other' } }, spec: { containers } }
  const spec = { selector: { matchLabels: { app: 'other' } }, template }
  await operator.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec })
  const taken = await operator.create({ ...sample, metadata })
  await operator.until(taken, object => conditionOf(object, 'Ready')?.status === 'False')
  await operator.delete(taken)
  await operator.untilGone(taken)
  const { metadata: found } = await operator.until({ ...deployment, name: 'taken' })
  assert.equal(found.annotations?.['website.example.org/owner-id'], undefined)
})

test('a Website that is deleted takes its Deployment along', async () => {
  await operator.delete(sample)
  await operator.untilGone(sample)
  await operator.untilGone(deployment)
})
