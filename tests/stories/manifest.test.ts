// A Manifest from its creation to its end: what is installed, kept, replaced and removed.
import t from 'tap'
import { stringify } from 'yaml'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type KubeObject, refOf } from '../../shared/core/object.ts'
import { manifestGround, syncedNames } from '../harness/manifest-ground.ts'
import { matches } from '../harness/matches.ts'
import { later } from '../harness/orchards.ts'

const ground = await manifestGround(t)
const { client, namespace } = ground
const somebody = { fieldManager: 'somebody' }
const { labels, annotations, finalizers, fieldManagers } = kymaNames

await ground.createKyma('here')

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

const yamlOf = (...objects: KubeObject[]): string => objects.map(object => stringify(object)).join('---\n')
const live = (object: KubeObject) => client.get(refOf(object))

t.test('KY-110 a good Manifest installs its layer and says so', async t => {
  const [one, two] = [configMap('one', { a: '1' }), configMap('two')]
  const digest = ground.layer(yamlOf(one, two))
  await ground.create('good', digest)
  matches(t, await ground.settle('good'), { outcome: 'settled', requeueAfterSeconds: 300 })
  const good = await ground.read('good')
  matches(t, good, {
    metadata: {
      annotations: { [annotations.syncOciRef]: digest },
      finalizers: [finalizers.manifest, finalizers.labelRemoval],
    },
    status: {
      state: 'Ready',
      lastOperation: { operation: 'resources are ready' },
      conditions: [
        { type: 'Resources', status: 'True', reason: 'ResourcesAvailable', observedGeneration: 1 },
        { type: 'Installation', status: 'True', reason: 'Ready', observedGeneration: 1 },
      ],
    },
  })
  t.strictSame(syncedNames(good), ['ConfigMap one', 'ConfigMap two'])
  const installed = await client.get(refOf(one), { withManagedFields: true })
  matches(t, installed, {
    data: { a: '1' },
    metadata: {
      labels: {
        [labels.managedBy]: 'kyma',
        [labels.watchedBy]: 'kyma',
        'app.kubernetes.io/component': 'good',
        'app.kubernetes.io/part-of': 'Kyma',
      },
      annotations: { [annotations.ownedBy]: `${namespace}/good`, [annotations.disclaimer]: String },
      managedFields: [{ manager: fieldManagers.moduleObjects }],
    },
  })
})

t.test('KY-121 nothing is applied when nothing changed; what somebody changes or deletes is repaired', async t => {
  const [one, two] = [configMap('kept-one', { a: '1' }), configMap('kept-two', { b: '1' })]
  await ground.create('kept', ground.layer(yamlOf(one, two)))
  await ground.settle('kept')
  const before = [await ground.read('kept'), await live(one), await live(two)]
  const counted = ground.requests.length
  await ground.settle('kept', later(3_600))
  const asked = ground.requests.slice(counted).filter(({ method }) => method !== 'GET')
  t.strictSame(asked, [], 'no write')
  t.strictSame([await ground.read('kept'), await live(one), await live(two)], before)
  await client.patch(refOf(one), { type: 'merge', body: { data: { a: '2', more: 'x' } } }, somebody)
  await ground.settle('kept', later(3_600))
  t.strictSame((await live(one))?.data, { a: '1', more: 'x' })
  await client.delete(refOf(one), {})
  await ground.settle('kept', later(7_200))
  t.strictSame((await live(one))?.data, { a: '1' })
  t.strictSame(await live(two), before[2], 'other objects are not written')
})

t.test('a deleted Manifest takes its objects along', async t => {
  const one = configMap('gone-one')
  await ground.create('gone', ground.layer(yamlOf(one)))
  await ground.settle('gone')
  await ground.remove('gone')
  await ground.settle('gone')
  t.strictSame([await live(one), await ground.read('gone')], [undefined, undefined])
})
