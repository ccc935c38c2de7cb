// What a switch of the Garden or of the landscape changes in all that the steps make, the contents of ManagedResources among it.
import t from 'tap'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { asApplied } from '../../harness/garden/simulated-garden.ts'
import { goldenIn } from '../../harness/golden.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'

const golden = goldenIn(import.meta.dirname)
const now = new Date('2026-03-01T12:00:00Z')

const worldOf = (spec: Change<Garden['spec']> = {}, given: Partial<World> = {}): World =>
  worldWithSecrets({ garden: garden({ spec }), ...given })

const madeIn = (world: World): KubeObject[] => steps.flatMap(({ objects }) => objects(world, now))

const everything = (world: World): KubeObject[] => {
  const made = madeIn(world)
  const resources = made.filter(({ kind }) => kind === 'ManagedResource')
  return [...made, ...resources.flatMap(({ metadata }) => managedContents(made, metadata.name))]
}

const named = (object: KubeObject) => refText(refOf(object))

/** What Services say themselves, and Etcds of theirs. */
const distributions = (world: World): Record<string, unknown> =>
  Object.fromEntries(
    everything(world).flatMap(object => {
      const path = object.kind === 'Etcd' ? ['etcd', 'clientService', 'trafficDistribution'] : ['trafficDistribution']
      const found = valueAt(object.spec, ...path)
      return found === undefined ? [] : [[named(object), found]]
    }),
  )

const routed = (enabled: boolean) => ({ runtimeCluster: { settings: { topologyAwareRouting: { enabled } } } })

const zonal = [
  'Service garden/virtual-garden-kube-apiserver',
  ...['gardener-apiserver', 'gardener-admission-controller'].map(name => `Service garden/${name}`),
  ...['main', 'events'].map(role => `Etcd garden/virtual-garden-etcd-${role}`),
]

t.test('GA-159 traffic to the API servers and etcds stays in its zone, as the runtime cluster spells it', async t => {
  for (const [runtimeMinor, word] of [
    [33, 'PreferClose'],
    [34, 'PreferSameZone'],
  ] as const)
    t.strictSame(
      distributions(worldOf(routed(true), { runtimeMinor })),
      Object.fromEntries(zonal.toSorted().map(name => [name, word])),
    )
  t.strictSame(distributions(worldOf(routed(false))), {})
  t.strictSame(distributions(worldOf()), {})
})

t.test('GA-159 what was switched on goes from the Service when it is switched off', async t => {
  const row = steps.filter(({ name }) => name === 'apiserver-service').map(one => ({ ...one, needs: [] }))
  const live = row.flatMap(({ objects }) => objects(worldOf(routed(true)), now)).map(asApplied)
  const written = (spec: Change<Garden['spec']>) =>
    flowOf(row, withRuntime(worldOf(spec), ...live), now).writes.map(write =>
      'object' in write ? valueAt(write.object.spec, 'trafficDistribution') : write.do,
    )
  t.strictSame(written(routed(true)), [])
  t.strictSame(written(routed(false)), [undefined])
})

const zones = 'high-availability-config.resources.gardener.cloud/zones'
const inZones = (of?: string[]) => ({ runtimeCluster: { provider: { ...(of && { zones: of }) } } })

t.test('GA-172 the namespace of the Garden names the zones for what is spread over them', async t => {
  const row = steps.filter(({ name }) => name === 'namespace')
  const annotations = (of?: string[]) =>
    row.flatMap(({ objects }) => objects(worldOf(inZones(of))))[0]?.metadata.annotations
  t.strictSame(annotations(), undefined)
  t.strictSame(annotations([]), undefined)
  t.strictSame(annotations(['a']), { [zones]: 'a' })
  t.strictSame(annotations(['a', 'b']), { [zones]: 'a,b' })
})

const type = 'high-availability-config.resources.gardener.cloud/type'

t.test('GA-172 who is a server and who a controller is told for all workloads, golden', async t => {
  const types = (world: World) => {
    const workloads = everything(world).filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    return Object.fromEntries(workloads.map(object => [named(object), object.metadata.labels?.[type] ?? 'none']))
  }
  const highlyAvailable = { virtualCluster: { controlPlane: { highAvailability: {} } } }
  t.strictSame([types(worldOf())], golden('high-availability-types'))
  t.strictSame([types(worldOf(highlyAvailable))], golden('high-availability-types'))
})

const balanced = (loadBalancerServices?: object) => ({
  runtimeCluster: { settings: { ...(loadBalancerServices && { loadBalancerServices }) } },
})

t.test('GA-79 the Services of gateway and nginx follow the settings for load balancers', async t => {
  const services = (loadBalancerServices?: object) =>
    everything(worldOf(balanced(loadBalancerServices))).filter(
      ({ kind, spec }) => kind === 'Service' && valueAt(spec, 'type') === 'LoadBalancer',
    )
  const shown = (given: object) =>
    services(given).map(({ metadata, spec }) => [metadata.annotations, valueAt(spec, 'externalTrafficPolicy')])
  const plain = services()
  t.strictSame(plain.map(named), [
    'Service garden/nginx-ingress-controller',
    'Service virtual-garden-istio-ingress/istio-ingressgateway',
  ])
  for (const [annotations, externalTrafficPolicy] of [
    [{ cost: 'low' }, 'Local'],
    [{ cost: 'high', zone: 'a' }, 'Cluster'],
    [{}, undefined],
  ] as const)
    t.strictSame(
      shown({ annotations, ...(externalTrafficPolicy && { externalTrafficPolicy }) }),
      plain.map(({ metadata }) => [{ ...metadata.annotations, ...annotations }, externalTrafficPolicy]),
    )
})
