// The functions for Gardens with the definition of Gardener's operator, webhooks included: a Garden of both address families, with the server that
// publishes keys, comes up, rotates its credentials, and goes.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import {
  askFor,
  gardenGround,
  gardenRef,
  gardenStatus,
  longSeconds,
  makeGarden,
  removeGarden,
} from '../../harness/garden/garden-ground.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { goGardenDefinition } from '../../make/garden/go-definition.ts'

const { client } = await gardenGround(t)
await define(client, goGardenDefinition() as KubeObject)

/** How many keys the server publishes. */
const publishedKeys = async (): Promise<number> => {
  const secrets = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden' })
  const text = secrets.map(secret => secretText(secret, 'jwks.json')).find(found => found !== '')
  return (JSON.parse(text ?? '{"keys":[]}') as { keys: unknown[] }).keys.length
}

const ofBothFamilies = {
  runtimeCluster: {
    networking: {
      ipFamilies: ['IPv4', 'IPv6'],
      pods: ['10.1.0.0/16', 'fd00:1::/64'],
      services: ['10.2.0.0/16', 'fd00:2::/112'],
    },
  },
  virtualCluster: {
    networking: { services: ['100.64.0.0/13', 'fd00:3::/112'] },
    gardener: { gardenerDiscoveryServer: {} },
  },
}

t.test('GA-381 GA-366 GA-370 with the definition of the Go operator a Garden comes up', async t => {
  await makeGarden(client, ofBothFamilies)
  const isUp = async () => {
    const { conditions = [] } = await gardenStatus(client)
    return conditions.length === 5 && conditions.every(({ status }) => status === 'True')
  }
  await eventually('all conditions are True', isUp, longSeconds)
  matches(t, await gardenStatus(client), {
    lastOperation: { state: 'Succeeded', progress: 100 },
    credentials: { encryptionAtRest: { provider: { type: 'aescbc' } } },
  })
  const server = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name: 'gardener-discovery-server' }
  t.ok(await client.get(server))
  t.equal(await publishedKeys(), 1)
})

t.test('GA-381 GA-370 its credentials are rotated, and both keys are published', async t => {
  await askFor(client, 'rotate-credentials-start')
  const isPrepared = async () => {
    const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey } =
      (await gardenStatus(client)).credentials?.rotation ?? {}
    const all = [certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey]
    return all.every(one => one?.phase === 'Prepared')
  }
  await eventually('all keys are Prepared', isPrepared, longSeconds)
  t.ok((await gardenStatus(client)).credentials?.rotation?.observability?.lastInitiationTime)
  t.equal(await publishedKeys(), 2)
})

t.test('GA-381 it goes when somebody deletes it', async t => {
  await removeGarden(client)
  await eventually('the Garden is gone', async () => (await client.get(gardenRef)) === undefined, longSeconds)
  t.pass('no write of its status was refused')
})
