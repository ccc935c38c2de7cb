// The function under its own account, killed after each of its writes.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { KubeObject } from 'espalier'
import { type People, type Trial, tryFunction } from 'espalier/testing'

const certManager: KubeObject = {
  apiVersion: 'operator.kyma-project.io/v1alpha1',
  kind: 'CertManager',
  metadata: { namespace: 'default', name: 'cert-manager' },
  spec: {
    additionalResources: [
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'ClusterIssuer',
        metadata: { name: 'self-signed' },
        spec: { selfSigned: {} },
      },
    ],
  },
}

/** What controllers of cert-manager leave behind: a Secret, and a request that is over. */
const madeByControllers = async ({ client, create }: People): Promise<void> => {
  const metadata = { namespace: 'default', name: 'cert-manager-webhook-ca' }
  await create({ apiVersion: 'v1', kind: 'Secret', metadata })
  const request = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'CertificateRequest',
    metadata: { ...metadata, name: 'over' },
  }
  await create(request)
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  await client.patch(
    { ...request, ...request.metadata },
    { type: 'merge', body: { status } },
    { fieldManager: 'test', subresource: 'status' },
  )
}

let trial: Trial
before(async () => {
  trial = await tryFunction({
    folder: join(import.meta.dirname, '..'),
    function: 'cert-manager',
    object: certManager,
    stages: [
      { change: people => people.create(certManager) },
      {
        change: async people => {
          await madeByControllers(people)
          await people.delete(certManager)
        },
        until: found => found === undefined,
      },
    ],
  })
})

test('nothing is lost, whichever write is the last one of its process', () => {
  for (const write of [
    'create Deployment default/cert-manager-webhook',
    'delete CertificateRequest default/over',
    'delete Secret default/cert-manager-webhook-ca',
  ])
    assert.ok(trial.writes.includes(write), `${write} is among ${trial.writes.join(', ')}`)
  assert.deepEqual(trial.lost, [])
})

test('its account may do all that it does', () => assert.deepEqual(trial.refused, []))
