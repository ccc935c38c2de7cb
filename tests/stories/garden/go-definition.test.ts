// The functions for Gardens with the definition of Gardener's operator, webhooks included: a Garden comes up, rotates its credentials, and goes.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
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

t.test('GA-381 with the definition of the Go operator a Garden comes up', async t => {
  await makeGarden(client)
  const isUp = async () => {
    const { conditions = [] } = await gardenStatus(client)
    return conditions.length === 5 && conditions.every(({ status }) => status === 'True')
  }
  await eventually('all conditions are True', isUp, longSeconds)
  matches(t, await gardenStatus(client), {
    lastOperation: { state: 'Succeeded', progress: 100 },
    credentials: { encryptionAtRest: { provider: { type: 'aescbc' } } },
  })
})

t.test('GA-381 its credentials are rotated', async t => {
  await askFor(client, 'rotate-credentials-start')
  const isPrepared = async () => {
    const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey } =
      (await gardenStatus(client)).credentials?.rotation ?? {}
    return [certificateAuthorities, serviceAccountKey, etcdEncryptionKey].every(one => one?.phase === 'Prepared')
  }
  await eventually('all keys are Prepared', isPrepared, longSeconds)
  t.ok((await gardenStatus(client)).credentials?.rotation?.observability?.lastInitiationTime)
})

t.test('GA-381 it goes when somebody deletes it', async t => {
  await removeGarden(client)
  await eventually('the Garden is gone', async () => (await client.get(gardenRef)) === undefined, longSeconds)
  t.pass('no write of its status was refused')
})
