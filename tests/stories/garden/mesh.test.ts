// A Garden beside an Istio: both come up at once, and each goes.
import t from 'tap'
import { istioKind } from '../../../shared/api/istio.ts'
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import {
  gardenGround,
  gardenRef,
  longSeconds,
  makeGarden,
  namespacesOfVirtualGarden,
  person,
  removeGarden,
} from '../../harness/garden/garden-ground.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const istioRef: ObjectRef = { ...istioKind, namespace: 'kyma-system', name: 'default' }

t.test('GA-167 GA-166 a Garden in the mesh of an Istio keeps it until the Garden goes', async t => {
  const ground = await gardenGround(t, { also: 'istio' })
  const { client } = ground
  const { apiVersion, kind, namespace, name } = istioRef
  await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  await client.apply({ apiVersion, kind, metadata: { namespace, name }, spec: {} }, person)
  await makeGarden(client)
  const reachable = async () =>
    namespacesOfVirtualGarden(ground).then(
      names => names.includes('garden'),
      () => false,
    )
  await eventually('people reach the virtual garden', reachable, longSeconds)
  const managed = await client.list({ apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' })
  t.notOk(
    managed.some(({ metadata }) => metadata.name === 'istio-system'),
    'no mesh of its own',
  )

  await client.delete(istioRef, {})
  const told = async () => JSON.stringify((await client.get(istioRef))?.status ?? {})
  const ours = ['Gateway', 'VirtualService', 'DestinationRule'].map(
    one => new RegExp(`${one} garden/virtual-garden-kube-apiserver`),
  )
  const isNamed = async () => {
    const status = await told()
    return ours.every(one => one.test(status))
  }
  await eventually('the Istio is blocked, and says by what', isNamed, longSeconds)
  for (const one of ours) matches(t, await told(), one)
  t.ok(await reachable())

  await removeGarden(client)
  const isGone = async (ref: ObjectRef) => (await client.get(ref)) === undefined
  await eventually('the Garden is gone', () => isGone(gardenRef), longSeconds)
  // A change calls the function, which otherwise looks again a minute after it was blocked.
  await client.patch(istioRef, { type: 'merge', body: { spec: { config: { numTrustedProxies: 2 } } } }, person)
  await eventually('the Istio is gone, too', () => isGone(istioRef), longSeconds)
})
