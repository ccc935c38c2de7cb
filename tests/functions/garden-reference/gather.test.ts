import t from 'tap'
import { decide } from '../../../functions/garden-reference/decide.ts'
import { gather, keys } from '../../../functions/garden-reference/gather.ts'
import { gardenKind } from '../../../shared/api/garden.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { garden, gardenWith, referenced } from '../../make/garden/garden.ts'

const sni = 'spec.virtualCluster.kubernetes.kubeAPIServer.sni.secretName'
const isProtected = { finalizers: ['gardener.cloud/reference-protection'] }

t.test('the world is metadata of what the Garden refers to and of what is protected in namespace garden', async t => {
  const subject = gardenWith({ [sni]: 'a' })
  const elsewhere = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'elsewhere', ...isProtected },
  }
  const world = await gather(
    subject,
    new SimulatedWorld([
      subject,
      garden({ metadata: { name: 'other' } }),
      { ...referenced('Secret', 'a'), data: { key: 'Y2FuYXJ5' } },
      referenced('ConfigMap', 'b', isProtected),
      referenced('Secret', 'of-nobody'),
      referenced('ConfigMap', 'a'),
      elsewhere,
    ]),
  )
  t.equal(world.garden.metadata.name, 'garden')
  t.strictSame(
    world.gardens.map(({ metadata }) => metadata.name),
    ['garden', 'other'],
  )
  t.strictSame(
    world.objects.map(object => refText(refOf(object))),
    ['Secret garden/a', 'ConfigMap garden/b'],
  )
  t.notOk(
    world.objects.some(object => 'data' in object),
    'nobody asked for the content',
  )
})

t.test('GA-130 GA-132 what the Garden refers to by now is not freed, though this call began before', async t => {
  const early = garden()
  const simulated = new SimulatedWorld([early, referenced('Secret', 'a', isProtected)])
  const [called] = await simulated.reads.list(gardenKind)
  if (!called) throw new Error('there is a Garden')
  const reads: Reads = {
    ...simulated.reads,
    list: async query => {
      const found = await simulated.reads.list(query)
      if (query.kind === 'ConfigMap') simulated.put(gardenWith({ [sni]: 'a' }))
      return found
    },
  }
  t.strictSame(decide(await gather(called, { reads })).steps, [])
})

t.test('an object concerns the Gardens that refer to it and, if protected, all that may have to free it', async t => {
  const one = gardenWith({ [sni]: 'a' }, garden({ metadata: { name: 'one' } }))
  const simulated = new SimulatedWorld([one, garden({ metadata: { name: 'two' } })])
  const concerned = async (object: KubeObject) => (await keys(object, simulated)).map(({ name }) => name)
  t.strictSame(await concerned(referenced('Secret', 'a')), ['one'])
  t.strictSame(await concerned(referenced('ConfigMap', 'a')), [], 'another kind')
  t.strictSame(await concerned(referenced('Secret', 'b')), [], 'another name')
  t.strictSame(await concerned(referenced('Secret', 'b', isProtected)), ['one', 'two'])
})
