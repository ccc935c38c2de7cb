// A CertManager in an API server in this process: what it installs, that there is only one, and what holds up its deletion.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { conditionOf, isTrue, type KubeObject, refOf } from 'espalier'
import { startOperator } from 'espalier/testing'

const operator = await startOperator({ folder: join(import.meta.dirname, '..') })
after(() => operator.stop())

const certManager = (name: string, spec: object): KubeObject => ({
  apiVersion: 'operator.kyma-project.io/v1alpha1',
  kind: 'CertManager',
  metadata: { namespace: 'default', name },
  spec,
})
const certificates = (kind: string, name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'cert-manager.io/v1',
  kind,
  metadata: { namespace: 'default', name },
  spec,
})
const ready = (object: KubeObject) => isTrue(conditionOf(object, 'Ready'))
const says = (text: RegExp) => (object: KubeObject) => text.test(String(conditionOf(object, 'Ready')?.message))

const issuer = {
  ...certificates('Issuer', 'self-signed', { selfSigned: {} }),
  metadata: { name: 'self-signed', namespace: ['$', '{NAMESPACE}'].join('') },
}
const first = certManager('cert-manager', {
  namespace: 'certificates',
  image: { tag: 'v1.19.0' },
  additionalResources: [issuer],
})
const webhook = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'certificates', name: 'cert-manager-webhook' }
const ownSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'certificates', name: 'cert-manager-webhook-ca' },
}

test('a CertManager installs cert-manager in its namespace, and the issuer that it brings along', async () => {
  await operator.create(first)
  await operator.until(first, ready)
  const deployment = JSON.stringify(await operator.until(webhook))
  assert.match(deployment, /cert-manager-webhook:v1\.19\.0/)
  assert.match(deployment, /"priorityClassName":"system-cluster-critical"/)
  await operator.until({ ...issuer, metadata: { ...issuer.metadata, namespace: 'certificates' } })
})

test('a second CertManager is refused, and can be deleted without harm to the first', async () => {
  await operator.create(ownSecret)
  const second = certManager('second', { namespace: 'certificates', name: 'cert-manager' })
  await operator.create(second)
  await operator.until(second, says(/CertManager default\/cert-manager already/))
  await operator.delete(second)
  await operator.untilGone(second)
  assert.ok(await operator.client.get(refOf(ownSecret)), 'the Secret of the first is there')
})

test('a CertManager brings along kinds of cert-manager alone', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'all' } }
  await operator.change(first, { spec: { additionalResources: [issuer, role] } })
  await operator.until(first, says(/ClusterRole of rbac\.authorization\.k8s\.io\/v1: only kinds of cert-manager\.io/))
  await operator.change(first, { spec: { additionalResources: [issuer] } })
  await operator.until(first, ready)
})

test('a Certificate of somebody holds up the deletion, a request that is over does not', async () => {
  const request = certificates('CertificateRequest', 'over')
  await operator.create(request)
  await operator.client.patch(
    { ...request, namespace: 'default', name: 'over' },
    { type: 'merge', body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } },
    { fieldManager: 'test', subresource: 'status' },
  )
  const certificate = certificates('Certificate', 'shop', { secretName: 'shop' })
  await operator.create(certificate)
  await operator.delete(first)
  await operator.until(first, says(/[Cc]ertificate/))
  await operator.untilGone(request)
  await operator.until(webhook)
  await operator.delete(certificate)
  await operator.untilGone(first)
  for (const one of [webhook, ownSecret]) await operator.untilGone(one)
})
