// What must hold in every world, whoever dies, refuses or edits when: the function comes to rest, always to the same
// one, and never leaves without protection what a Garden needs.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { gardenReference } from '../../../functions/garden-reference/index.ts'
import { type GardenReferenceKind, gardenReferences } from '../../../shared/api/garden/references.ts'
import type { GardenSpec } from '../../../shared/api/garden.ts'
import { hasFinalizer, isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { type Run, runToRest } from '../../harness/simulated/simulated-run.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { type Garden, garden, referenced } from '../../make/garden/garden.ts'

const ours = 'gardener.cloud/reference-protection'
const key = { namespace: '', name: 'garden' }

t.test('GA-130 every world comes to rest; at rest there are no steps and nothing is written', t =>
  holds(t, async objects => {
    const world = new SimulatedWorld(objects)
    await toRest(world)
    const before = JSON.stringify(world.objects)
    const again = await runToRest(gardenReference, key, world)
    return again.steps === 0 && JSON.stringify(world.objects) === before
  }),
)

t.test('GA-134 whoever dies after or refuses any step, the rest is the same', t =>
  holds(t, async (objects, unlucky) => {
    const lucky = new SimulatedWorld(objects)
    await toRest(lucky)
    const world = new SimulatedWorld(objects)
    await runToRest(gardenReference, key, world, { dieAfterSteps: unlucky.death })
    await runToRest(gardenReference, key, world, { refuses: nth(unlucky.refusal) })
    await toRest(world)
    return protectionOf(world) === protectionOf(lucky)
  }),
)

t.test('GA-133 at no moment does what a Garden needs lose its protection', t =>
  holds(t, async (objects, unlucky) => {
    const world = new SimulatedWorld(objects)
    const moments = [guarded(world)]
    const afterStep = () => moments.push(guarded(world))
    await runToRest(gardenReference, key, world, { afterStep, refuses: nth(unlucky.refusal) })
    const stillNeeded = new Set(allNeeded(world).map(nameOf))
    return moments.every((then, i) =>
      then.every(name => !stillNeeded.has(name) || (moments[i + 1] ?? then).includes(name)),
    )
  }),
)

t.test('GA-134 the Garden stands for what it protects at every moment', t =>
  holds(t, async (objects, unlucky) => {
    const world = new SimulatedWorld(objects)
    let isLast = true
    const afterStep: Run['afterStep'] = step => {
      if (step.do !== 'removeFinalizer' || step.target.kind !== 'Garden') return
      const needed = new Set(allNeeded(world).map(nameOf))
      isLast &&= world.objects.filter(isProtectedObject).every(object => needed.has(nameOf(object)))
    }
    await runToRest(gardenReference, key, world, { afterStep, refuses: nth(unlucky.refusal) })
    await runToRest(gardenReference, key, world, { afterStep })
    return isLast
  }),
)

t.test('GA-129 GA-130 at rest exactly what Gardens need is protected, whatever people did meanwhile', t =>
  holds(t, async (objects, _, edits) => {
    const world = new SimulatedWorld(objects)
    const pending = [...edits]
    await toRest(world, { afterStep: () => edit(world, pending.shift()) })
    const subject = gardens(world).find(({ metadata }) => metadata.name === key.name)
    if (!subject) return true
    const own = neededBy(subject, world)
    const needed = new Set(allNeeded(world).map(nameOf))
    return (
      own.every(object => isProtected(object) || isDeleting(object)) &&
      world.objects.filter(isProtectedObject).every(object => needed.has(nameOf(object))) &&
      isProtected(subject) === (own.some(isProtected) && !isUnprotectable(subject))
    )
  }),
)

type Unlucky = { death: number; refusal: number }
type References = { backup?: string; sni?: string; resources: [GardenReferenceKind, string][] }
type Hold = { finalizers: string[]; isLeaving: boolean }

type Property = (objects: KubeObject[], unlucky: Unlucky, edits: References[]) => Promise<boolean>

function holds(t: Test, property: Property) {
  const anyEdits = fc.array(someReferences(), { maxLength: 4 })
  const always = fc.asyncProperty(someObjects(), someBadLuck(), anyEdits, property)
  return t.resolves(fc.assert(always, { numRuns: 400, seed: 130 }))
}

/** Calls again after every failure, as the relay does. */
async function toRest(world: SimulatedWorld, run: Run = {}): Promise<void> {
  for (let call = 0; call < 10; call++) {
    const { by } = await runToRest(gardenReference, key, world, run)
    if (by === 'rest') return
  }
  throw new Error('it fails for ever')
}

function someBadLuck(): fc.Arbitrary<Unlucky> {
  return fc.record({ death: fc.nat(6), refusal: fc.nat(6) })
}

function someObjects(): fc.Arbitrary<KubeObject[]> {
  const others = fc.uniqueArray(fc.tuple(someKind(), someName(), someHold()), {
    selector: ([kind, name]) => `${kind} ${name}`,
    maxLength: 6,
  })
  return fc
    .tuple(someGarden('garden'), fc.option(someGarden('other')), others)
    .map(([subject, other, objects]) => [
      subject,
      ...(other ? [other] : []),
      ...objects.map(([kind, name, hold]) => referenced(kind, name, heldBy(hold))),
    ])
}

function someGarden(name: string): fc.Arbitrary<Garden> {
  return fc
    .tuple(someReferences(), someHold())
    .map(([references, hold]) => garden({ metadata: { name, ...heldBy(hold) }, spec: specOf(references) }))
}

function someReferences(): fc.Arbitrary<References> {
  const maybeName = fc.option(someName(), { nil: undefined })
  return fc.record({
    backup: maybeName,
    sni: maybeName,
    resources: fc.array(fc.tuple(someKind(), someName()), { maxLength: 3 }),
  })
}

function someHold(): fc.Arbitrary<Hold> {
  return fc.record({ finalizers: fc.subarray([ours, 'gardener.cloud/operator']), isLeaving: fc.boolean() })
}

function someKind(): fc.Arbitrary<GardenReferenceKind> {
  return fc.constantFrom('Secret', 'ConfigMap')
}

function someName(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'b', 'c')
}

function heldBy({ finalizers, isLeaving }: Hold) {
  return { finalizers, ...(isLeaving && { deletionTimestamp: '2026-01-01T00:00:00Z' }) }
}

function specOf({ backup, sni, resources }: References) {
  return {
    resources: resources.map(([kind, name], i) => ({
      name: `resource-${i}`,
      resourceRef: { apiVersion: 'v1', kind, name },
    })),
    virtualCluster: {
      etcd: backup ? { main: { backup: { provider: 'local', secretRef: { name: backup } } } } : null,
      kubernetes: { kubeAPIServer: sni ? { sni: { secretName: sni } } : null },
    },
  }
}

function edit(world: SimulatedWorld, references: References | undefined): void {
  const subject = gardens(world).find(({ metadata }) => metadata.name === key.name)
  if (subject && references) world.put({ ...subject, spec: garden({ spec: specOf(references) }).spec as GardenSpec })
}

/** True at the nth call and never again. */
function nth(n: number): () => boolean {
  let calls = 0
  return () => calls++ === n
}

function gardens(world: SimulatedWorld): Garden[] {
  return world.objects.filter(({ kind }) => kind === 'Garden') as Garden[]
}

/** By the rule people are told: all it refers to, and in deletion only while it is held by us and by others. */
function neededBy(subject: Garden, world: SimulatedWorld): KubeObject[] {
  const holders = subject.metadata.finalizers ?? []
  if (isDeleting(subject) && !(holders.includes(ours) && holders.length > 1)) return []
  const names = gardenReferences(subject).map(({ kind, name }) => `${kind} garden/${name}`)
  return world.objects.filter(object => names.includes(nameOf(object)))
}

function allNeeded(world: SimulatedWorld): KubeObject[] {
  return gardens(world).flatMap(subject => neededBy(subject, world))
}

function guarded(world: SimulatedWorld): string[] {
  return allNeeded(world).filter(isProtected).map(nameOf)
}

function isProtected(object: KubeObject): boolean {
  return hasFinalizer(object, ours)
}

function isProtectedObject(object: KubeObject): boolean {
  return object.kind !== 'Garden' && isProtected(object)
}

/** The API server takes no new finalizer on it. */
function isUnprotectable(object: KubeObject): boolean {
  return isDeleting(object) && !isProtected(object)
}

function nameOf(object: KubeObject): string {
  return refText(refOf(object))
}

function protectionOf(world: SimulatedWorld): string {
  return JSON.stringify(world.objects.map(object => [nameOf(object), isDeleting(object), isProtected(object)]).sort())
}
