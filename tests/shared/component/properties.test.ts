// What must hold for every component, whatever it declares and whenever its process dies: it comes to rest, at rest it does
// nothing, what is there is what was declared, nothing is forgotten, and nobody is robbed.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { itemKey, objectKey } from '../../../shared/component/item.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import {
  becomesReady,
  component,
  establish,
  ownedBy,
  type PassOptions,
  type SimulatedComponent,
  shop,
} from '../../harness/component/simulated-component.ts'
import {
  configMap,
  gadget,
  gadgetDefinition,
  type Kept,
  namespaceManifest,
  owner,
  P,
} from '../../make/component/dependents.ts'

const orders = fc.constantFrom('-1', '0', '1', '2')

const annotations = fc.record(
  {
    'apply-order': orders,
    'delete-order': orders,
    'purge-order': fc.constantFrom('0', '1', '5'),
    'adoption-policy': fc.constantFrom('always', 'if-unowned'),
    'reconcile-policy': fc.constantFrom('on-object-change', 'on-object-or-component-change', 'once'),
    'update-policy': fc.constantFrom('replace', 'ssa-merge', 'ssa-override', 'recreate'),
    'delete-policy': fc.constantFrom('delete', 'orphan', 'orphan-on-apply', 'orphan-on-delete'),
  },
  { requiredKeys: [] },
)

/** Instances and what lies in a declared namespace must not outlive what they stand on. */
const standing = annotations.map(({ 'delete-policy': _, ...kept }) => kept)
const ground: Kept = { 'apply-order': '-2', 'delete-order': '3' }
const values = fc.constantFrom('one', 'two')

const manifests: fc.Arbitrary<KubeObject[]> = fc
  .record({
    maps: fc.uniqueArray(fc.record({ n: fc.nat(3), kept: annotations, value: values }), { selector: ({ n }) => n }),
    gadgets: fc.uniqueArray(fc.record({ n: fc.nat(2), kept: standing, value: values }), { selector: ({ n }) => n }),
    inner: fc.uniqueArray(fc.record({ n: fc.nat(1), kept: standing, value: values }), { selector: ({ n }) => n }),
  })
  .map(({ maps, gadgets, inner }) => [
    ...maps.map(({ n, kept, value }) => configMap(`map-${n}`, { kept, data: { value } })),
    ...gadgets.map(({ n, kept, value }) => gadget(`gadget-${n}`, { kept, data: { value } })),
    ...(gadgets.length > 0 ? [gadgetDefinition({ kept: ground })] : []),
    ...inner.map(({ n, kept, value }) => configMap(`map-${n}`, { kept, namespace: 'inner', data: { value } })),
    ...(inner.length > 0 ? [namespaceManifest('inner', { kept: ground })] : []),
  ])

/** Objects that were there before, of nobody or of somebody else. */
const before = fc.uniqueArray(fc.record({ n: fc.nat(3), isOwned: fc.boolean() }), {
  selector: ({ n }) => n,
  maxLength: 2,
})

/** What befalls the process in a pass. */
const accidents: fc.Arbitrary<PassOptions[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<PassOptions>({}) },
    fc.record({ dieAfterSteps: fc.nat(3) }),
    fc.constant<PassOptions>({ losesStatus: true }),
    fc.record({ staleBy: fc.integer({ min: 1, max: 3 }) }),
  ),
  { maxLength: 12 },
)

const life = fc.record({ first: manifests, second: manifests, before, accidents, more: accidents, last: accidents })

const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[`${P}/owner-id`] === owner.hash

/** Operators and the API server make everything ready that is there; time goes by. */
const worldGoesOn = (subject: SimulatedComponent): void => {
  subject.waits(11)
  for (const object of subject.cluster.objects) {
    if (object.status !== undefined || isDeleting(object)) continue
    if (object.kind === 'Gadget') becomesReady(subject, object)
    if (object.kind === 'CustomResourceDefinition') establish(subject, object)
  }
}

const mayStay = new Set<string>()

/** Passes with accidents, then passes without until it rests. */
const lives = (subject: SimulatedComponent, mishaps: readonly PassOptions[]): void => {
  const afterEach = () => {
    const known = new Set(subject.question.items.map(itemKey))
    const forgotten = subject.cluster.objects
      .filter(isOurs)
      .map(objectKey)
      .filter(key => !known.has(key))
    assert.deepEqual(
      forgotten.filter(key => !mayStay.has(key)),
      [],
      'whatever is ours is in the inventory',
    )
    worldGoesOn(subject)
  }
  for (const mishap of mishaps) {
    subject.pass(mishap)
    afterEach()
  }
  const last = subject.settle({ passes: 60, afterEach })
  assert.deepEqual(last.plan.steps, [], 'at rest there are no steps')
  assert.equal(last.standing.next.is === 'again', false)
}

const key = (object: KubeObject): string =>
  objectKey({ ...object, metadata: { namespace: namespaceOf(object), name: object.metadata.name } })
const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''

/**
 * Where ownership allows it at all. A copy that read the status long before another purged an object makes it once more;
 * it then stays until the component goes.
 */
const isAsDeclared = (subject: SimulatedComponent, mishaps: readonly PassOptions[]): void => {
  const isWithoutCopies = mishaps.every(({ staleBy }) => staleBy === undefined)
  const pass = subject.pass()
  const errors = pass.standing.errors.map(({ message }) => message)
  assert.ok(
    errors.every(message => / is owned by elsewhere/.test(message)),
    errors.join(),
  )
  if (errors.length > 0) return
  assert.equal(pass.standing.ready, true)
  for (const object of subject.question.manifests) {
    const item = subject.item(object)
    const live = subject.live(object)
    if (item?.phase === 'Completed') assert.ok(!live || !isWithoutCopies)
    else if (item?.reconcilePolicy !== 'Once') assert.deepEqual(live && [isOurs(live), live.data], [true, object.data])
  }
}

t.test('CO-33 a component comes to rest and is as declared, whenever its process dies', async () => {
  fc.assert(
    fc.property(life, ({ first, second, before, accidents, more, last }) => {
      mayStay.clear()
      const theirs = before.map(({ n, isOwned }) => {
        const map = configMap(`map-${n}`, { data: { value: 'theirs' } })
        return isOwned ? ownedBy(map, 'other') : map
      })
      const subject = component({ manifests: first }, [shop, ...theirs])
      const remember = (set: readonly KubeObject[]) => {
        for (const object of set)
          if (object.metadata.annotations?.[`${P}/delete-policy`]?.startsWith('orphan')) mayStay.add(key(object))
      }
      remember(first)
      lives(subject, accidents)
      isAsDeclared(subject, accidents)
      remember(second)
      subject.change({ manifests: second, componentDigest: 'component-2' })
      lives(subject, more)
      isAsDeclared(subject, [...accidents, ...more])
      subject.change({ goal: 'delete', manifests: [] })
      lives(subject, last)
      assert.deepEqual(subject.question.items, [], 'nothing is left in the inventory')
      const left = subject.cluster.objects.filter(isOurs).map(objectKey)
      assert.deepEqual(
        left.filter(key => !mayStay.has(key)),
        [],
        'nothing of ours is left in the cluster',
      )
    }),
    { numRuns: 60, seed: 33 },
  )
})

t.test('CO-42 who has an object already keeps it, unless its adopter may always', async () => {
  fc.assert(
    fc.property(manifests, accidents, fc.boolean(), (wanted, mishaps, isOwned) => {
      const victims = wanted
        .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.namespace === 'shop')
        .map(({ metadata }) => configMap(metadata.name, { data: { value: 'theirs' } }))
        .map(map => (isOwned ? ownedBy(map, 'other') : map))
      const strict = wanted.map(object => withPolicy(object, isOwned ? 'if-unowned' : 'never'))
      const subject = component({ manifests: strict }, [shop, ...victims])
      const cluster = subject.cluster.objects
      mayStay.clear()
      lives(subject, mishaps)
      if (victims.length > 0) assert.deepEqual(subject.cluster.objects, cluster, 'nothing was written at all')
      subject.change({ goal: 'delete', manifests: [] })
      lives(subject, [])
      for (const victim of victims) assert.deepEqual(subject.live(victim)?.data, { value: 'theirs' })
    }),
    { numRuns: 40, seed: 42 },
  )
})

const withPolicy = (object: KubeObject, policy: string): KubeObject => {
  const { [`${P}/delete-policy`]: _, ...kept } = object.metadata.annotations ?? {}
  return { ...object, metadata: { ...object.metadata, annotations: { ...kept, [`${P}/adoption-policy`]: policy } } }
}
