// A Website whose objects are in another cluster, to which the kubeconfig in a Secret leads.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conditionOf, isTrue } from 'espalier'
import { startEmbeddedCluster } from 'espalier/embedded'
import { createClient } from 'espalier/kube'
import { startOperator } from 'espalier/testing'

const [operator, elsewhere] = await Promise.all([startOperator(), startEmbeddedCluster({ node: { stepMilliseconds: 0 } })])
const credentials = { ca: elsewhere.caCert, token: elsewhere.adminToken }
const client = createClient({ server: elsewhere.url, credentials: () => credentials })
after(async () => {
  await client.close()
  await operator.stop()
  await elsewhere.stop()
})

const metadata = { namespace: 'default', name: 'elsewhere' }
const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { kubeconfig: elsewhere.kubeconfig } }
const sample = {
  apiVersion: 'example.org/v1alpha1',
  kind: 'Website',
  metadata,
  spec: { greeting: 'hello', kubeConfig: { secretRef: { name: 'elsewhere', key: 'kubeconfig' } } },
}
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', ...metadata }

test('a Website has its Deployment in the other cluster, and takes it along', async () => {
  await operator.create(secret)
  await operator.create(sample)
  await operator.until(sample, object => isTrue(conditionOf(object, 'Ready')))
  assert.ok(await client.get(deployment))
  assert.equal(await operator.client.get(deployment), undefined)
  await operator.delete(sample)
  await operator.untilGone(sample)
  assert.equal(await client.get(deployment), undefined)
})
