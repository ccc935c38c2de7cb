// What must hold in every world, whoever dies or refuses when: the function comes to rest, always to the same one, each
// namespace then has exactly the policies of its roles, and what is somebody else's is as it was.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { gardenNetworkPolicy } from '../../../functions/garden-network-policy/index.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { type Run, runToRest } from '../../harness/simulated/simulated-run.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { garden } from '../../make/garden/garden.ts'
import { foreignPolicy, namespace, shootCluster } from '../../make/objects/namespaces.ts'

const owner = { 'networking.gardener.cloud/managed-by': 'garden-network-policy' }
const key = { namespace: '', name: 'default' }
const first = ['deny-all', 'allow-to-dns']
const second = ['allow-to-runtime-apiserver']
const third = ['allow-to-public-networks', 'allow-to-private-networks', 'allow-to-blocked-cidrs']
const names = [...first, ...second, ...third]

const roles: Record<string, readonly string[]> = {
  shoot: names,
  extension: names,
  'istio-system': [...first, ...second],
  'istio-ingress': [...first, ...second],
}

const toRest = async (world: SimulatedWorld, run?: Run): Promise<void> => {
  for (let calls = 0; calls < 10; calls++)
    if ((await runToRest(gardenNetworkPolicy, key, world, run)).by === 'rest') return
  throw new Error('it does not come to rest')
}

const nth = (number: number): NonNullable<Run['refuses']> => {
  let steps = 0
  return () => steps++ === number
}

const isOurs = ({ metadata }: KubeObject) =>
  metadata.labels?.['networking.gardener.cloud/managed-by'] === 'garden-network-policy'
const isActive = (object: KubeObject) => object.kind === 'Namespace' && !isDeleting(object)
const policiesIn = (world: SimulatedWorld, { metadata }: KubeObject) =>
  world.objects.filter(one => one.kind === 'NetworkPolicy' && one.metadata.namespace === metadata.name)

const wantedIn = ({ metadata: { name, labels = {} } }: KubeObject): readonly string[] => {
  if (name === 'garden') return names
  const byRole = roles[labels['gardener.cloud/role'] ?? ''] ?? []
  const isExposed = 'handler.exposureclass.gardener.cloud/name' in labels
  return byRole.length > 0 ? byRole : isExposed ? first : []
}

const lacksCluster = ({ metadata: { name } }: KubeObject, objects: readonly KubeObject[]) =>
  name.startsWith('shoot--') && !objects.some(one => one.kind === 'Cluster' && one.metadata.name === name)

const policiesText = (world: SimulatedWorld): string =>
  world.objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ metadata: { name, namespace, labels, annotations }, spec }) =>
      JSON.stringify([namespace, name, labels, annotations, spec]),
    )
    .sort()
    .join('\n')

const places = ['garden', 'a', 'b', 'shoot--x--y', 'shoot--x--z']

const anyNamespace = (name: string): fc.Arbitrary<KubeObject> =>
  fc
    .record({
      role: fc.constantFrom('', 'seed', ...Object.keys(roles)),
      isExposed: fc.boolean(),
      isEnding: fc.nat(5).map(number => number === 0),
    })
    .map(({ role, isExposed, isEnding }) => {
      const labels = {
        ...(role && { 'gardener.cloud/role': role }),
        ...(isExposed && { 'handler.exposureclass.gardener.cloud/name': 'x' }),
      }
      const made = namespace(name, labels)
      const ending = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes'] }
      return isEnding ? { ...made, metadata: { ...made.metadata, ...ending } } : made
    })

const anyPolicy: fc.Arbitrary<KubeObject> = fc
  .record({ namespace: fc.constantFrom(...places), name: fc.constantFrom(...names, 'other'), isOurs: fc.boolean() })
  .map(({ isOurs, ...place }) => {
    const policy = foreignPolicy(place)
    return isOurs ? { ...policy, metadata: { ...policy.metadata, labels: owner } } : policy
  })

const anyWorld: fc.Arbitrary<KubeObject[]> = fc
  .record({
    gardens: fc.constantFrom([], [garden()]),
    namespaces: fc.tuple(...places.map(anyNamespace)),
    policies: fc.uniqueArray(anyPolicy, {
      maxLength: 8,
      selector: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
    }),
    clusters: fc.subarray(places.slice(3).map(name => shootCluster(name, { pods: '10.180.0.0/16' }))),
  })
  .map(({ gardens, namespaces, policies, clusters }) => [
    ...[namespace('default'), ...gardens, ...namespaces],
    ...[...policies, ...clusters],
  ])

type Unlucky = { death: number; refusal: number }
type Property = (objects: KubeObject[], unlucky: Unlucky) => Promise<boolean>

const holds = async (t: Test, property: Property): Promise<void> => {
  const unlucky = fc.record({ death: fc.nat(12), refusal: fc.nat(12) })
  const { failed, counterexample } = await fc.check(fc.asyncProperty(anyWorld, unlucky, property), {
    numRuns: 200,
    seed: 140,
  })
  t.equal(failed, false, JSON.stringify(counterexample))
}

t.test('GA-140 every world comes to rest, and at rest nothing is written', t =>
  holds(t, async objects => {
    const world = new SimulatedWorld(objects)
    await toRest(world)
    const before = JSON.stringify(world.objects)
    const again = await runToRest(gardenNetworkPolicy, key, world)
    return again.steps === 0 && JSON.stringify(world.objects) === before
  }),
)

t.test('GA-135 GA-137 whoever dies after or refuses any step, the rest is the same', t =>
  holds(t, async (objects, { death, refusal }) => {
    const lucky = new SimulatedWorld(objects)
    await toRest(lucky)
    const world = new SimulatedWorld(objects)
    await runToRest(gardenNetworkPolicy, key, world, { dieAfterSteps: death })
    await runToRest(gardenNetworkPolicy, key, world, { refuses: nth(refusal) })
    await toRest(world)
    return policiesText(world) === policiesText(lucky)
  }),
)

t.test('GA-135 GA-136 GA-137 at rest each Active namespace has ours for exactly its roles, where no name is taken', t =>
  holds(t, async objects => {
    const world = new SimulatedWorld(objects)
    await toRest(world)
    const hasGarden = objects.some(({ kind }) => kind === 'Garden')
    return objects.filter(isActive).every(one => {
      const taken = policiesIn(world, one).filter(policy => !isOurs(policy))
      const missing = hasGarden && lacksCluster(one, objects) ? ['allow-to-private-networks'] : []
      const without = [...taken.map(({ metadata }) => metadata.name), ...missing]
      const wanted = hasGarden ? wantedIn(one).filter(name => !without.includes(name)) : []
      const found = policiesIn(world, one)
        .filter(isOurs)
        .map(({ metadata }) => metadata.name)
      return (
        [...wanted].sort().join() ===
        found
          .filter(name => !missing.includes(name))
          .sort()
          .join()
      )
    })
  }),
)

t.test('GA-138 what is somebody else’s is as it was', t =>
  holds(t, async objects => {
    const world = new SimulatedWorld(objects)
    const foreign = () => JSON.stringify(world.objects.filter(one => one.kind === 'NetworkPolicy' && !isOurs(one)))
    const before = foreign()
    await toRest(world)
    return foreign() === before
  }),
)
