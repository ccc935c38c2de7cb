// What the engine remembers: digests, owners, fingerprints, and the inventory as the status holds it.
import t from 'tap'
import {
  componentDigest,
  dependentDigest,
  digestOf,
  objectDigest,
} from '../../../shared/component/declared/dependent.ts'
import { isGroupOf, isManaged } from '../../../shared/component/declared/kinds.ts'
import {
  adoptionPolicies,
  deletePolicies,
  itemsOf,
  policyNamed,
  reconcilePolicies,
  storedItems,
  updatePolicies,
} from '../../../shared/component/item.ts'
import { driftBetween, fingerprintOf } from '../../../shared/component/observed/drift.ts'
import { ownerOf } from '../../../shared/component/ownership.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { configMap, item, manifest } from '../../make/component/dependents.ts'

const example: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n' },
  data: { k: 'v' },
}

t.test('A8 the owner id is told by its hash', async t => {
  const { id, hash } = ownerOf('11111111-2222-3333-4444-555555555555', { namespace: 'shop', name: 'cart' })
  t.equal(id, '11111111-2222-3333-4444-555555555555/shop/cart')
  t.equal(hash, 'go2zg3e4ivh7hzyhguoxok6fhgw52j6thape7b7lvut4dcze3fsa')
})

t.test('A8 the digest of an object counts what is declared, in whatever order', async t => {
  const digest = objectDigest(example)
  matches(t, digest, /^61444e5e[0-9a-f]{48}d0c1106b$/)
  t.equal(objectDigest({ data: { k: 'v' }, ...example, metadata: { namespace: 'n', name: 'a' } }), digest)
  const stored = { ...example.metadata, resourceVersion: '7', generation: 3, managedFields: [{}] }
  t.equal(objectDigest({ ...example, metadata: stored }), digest)
  t.not(objectDigest({ ...example, data: { k: 'w' } }), digest)
})

t.test('CO-48 A8 what a dependent digest follows is a matter of its reconcile policy', async t => {
  const digest = objectDigest(example)
  t.equal(dependentDigest(digest, 'OnObjectChange', 'c1'), digest)
  t.equal(dependentDigest(digest, 'OnObjectOrComponentChange', 'c1'), `${digest}@c1`)
  t.equal(dependentDigest(digest, 'Once', 'c1'), '__once__')
})

t.test('A8 the component digest follows generation, annotations and references', async t => {
  const component: KubeObject = {
    apiVersion: 'shop.example.io/v1',
    kind: 'Cart',
    spec: { size: 1 },
    metadata: { name: 'cart', namespace: 'shop', generation: 4, annotations: { a: 'b' }, labels: { c: 'd' } },
    status: { state: 'Ready' },
  }
  const digest = componentDigest(component, { 'spec.secret': 'x' })
  t.equal(digest, digestOf({ annotations: { a: 'b' }, generation: 4, refs: { 'spec.secret': 'x' } }))
  t.equal(componentDigest({ ...component, status: {}, spec: {} }, { 'spec.secret': 'x' }), digest)
  t.not(componentDigest(component, { 'spec.secret': 'y' }), digest)
})

t.test('CO-52 server defaults, normalised values and the fields of others are no drift', async t => {
  const wanted = manifest('apps/v1', 'Deployment', 'web', {
    spec: {
      nothing: null,
      template: { spec: { containers: [{ name: 'web', resources: { limits: { cpu: '1000m' } } }] } },
    },
  })
  const container = { name: 'web', image: 'default', resources: { limits: { cpu: '1' } } }
  const answer = live(wanted, [container], { replicas: 1, nothing: 'default' })
  const scaled = live(wanted, [{ name: 'proxy' }, container], { replicas: 5, nothing: 'other' })
  matches(t, fingerprintOf(answer, wanted), /^[0-9a-f]{16}$/)
  t.equal(fingerprintOf(scaled, wanted), fingerprintOf(answer, wanted))
  const edited = live(wanted, [{ ...container, resources: { limits: { cpu: '2' } } }], { replicas: 1 })
  t.not(fingerprintOf(edited, wanted), fingerprintOf(answer, wanted))
  t.strictSame(
    driftBetween(edited, answer, wanted).map(({ path }) => path),
    ['spec.template.spec.containers[web].resources.limits.cpu'],
  )
  const removed = live(wanted, [{ name: 'web' }], {})
  t.not(fingerprintOf(removed, wanted), fingerprintOf(answer, wanted), 'a field that is gone is drift')
})

const live = (wanted: KubeObject, containers: unknown[], spec: object): KubeObject => ({
  ...wanted,
  metadata: {
    ...wanted.metadata,
    uid: 'u',
    resourceVersion: String(Math.abs(containers.length)),
    labels: { other: 'x' },
  },
  spec: { ...spec, template: { spec: { containers } } },
  status: { replicas: 1 },
})

t.test('A8 labels and annotations of the manifest count, other metadata and the status do not', async t => {
  const wanted = configMap('a', { labels: { app: 'x' }, status: { phase: 'rendered' } })
  const stored = { ...wanted, metadata: { ...wanted.metadata, creationTimestamp: 'now' }, status: { phase: 'other' } }
  t.equal(fingerprintOf(stored, wanted), fingerprintOf(wanted, wanted))
  const relabelled = { ...wanted, metadata: { ...wanted.metadata, labels: {} } }
  t.not(fingerprintOf(relabelled, wanted), fingerprintOf(wanted, wanted))
})

t.test('an inventory is stored without its defaults and read as it was', async t => {
  const items = [
    item({ kind: 'ConfigMap', name: 'a' }),
    item({
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      name: 'gadgets.example.io',
      namespace: '',
      adoptionPolicy: 'Never',
      reconcilePolicy: 'Once',
      updatePolicy: 'Recreate',
      deletePolicy: 'Orphan',
      applyOrder: -5,
      deleteOrder: 7,
      managedTypes: [{ group: 'example.io', version: '*', kind: 'Gadget' }],
      digest: '__once__',
      fingerprint: '',
      phase: 'Completed',
      status: '',
      lastAppliedAt: '',
    }),
  ]
  const stored = JSON.parse(JSON.stringify(storedItems(items)))
  t.strictSame(itemsOf(stored), items)
  const told = ['version', 'kind', 'namespace', 'name', 'digest', 'fingerprint', 'phase', 'status', 'lastAppliedAt']
  t.strictSame(new Set(Object.keys(stored[0])), new Set(told))
  t.strictSame(itemsOf(undefined), [])
})

t.test('CO-55 a thousand dependents take less than 400 KiB', async t => {
  const name = (n: number) => `some-rather-long-name-of-a-dependent-object-${n}`
  const items = Array.from({ length: 1000 }, (_, n) =>
    item({
      group: 'networking.k8s.io',
      kind: 'NetworkPolicy',
      name: name(n),
      namespace: 'a-namespace-of-this-team',
      digest: 'd'.repeat(64),
      fingerprint: 'f'.repeat(16),
      applyOrder: 3,
      updatePolicy: 'SsaOverride',
    }),
  )
  t.ok(JSON.stringify(storedItems(items)).length < 400 * 1024, String(JSON.stringify(storedItems(items)).length))
})

t.test('CO-37 policies are spelled in kebab-case or CamelCase and stored in CamelCase', async t => {
  const all: readonly (readonly string[])[] = [adoptionPolicies, reconcilePolicies, updatePolicies, deletePolicies]
  for (const policies of all) for (const policy of policies) t.equal(policyNamed(policies, policy), policy)
  t.equal(policyNamed(adoptionPolicies, 'if-unowned'), 'IfUnowned')
  t.equal(policyNamed(reconcilePolicies, 'on-object-or-component-change'), 'OnObjectOrComponentChange')
  t.equal(policyNamed(updatePolicies, 'ssa-merge'), 'SsaMerge')
  t.equal(policyNamed(deletePolicies, 'orphan-on-apply'), 'OrphanOnApply')
  for (const wrong of ['patch', 'ssamerge', 'SSA-MERGE', '']) t.equal(policyNamed(updatePolicies, wrong), undefined)
})

t.test('A7 groups match exactly, by * or by suffix; kinds exactly or by *', async t => {
  const cases: [pattern: string, group: string, matches: boolean][] = [
    ['a.io', 'a.io', true],
    ['a.io', 'x.a.io', false],
    ['*', '', true],
    ['*', 'a.io', true],
    ['*.a.io', 'x.y.a.io', true],
    ['*.a.io', 'x.a.io', true],
    ['*.a.io', 'a.io', false],
    ['*.a.io', '.a.io', false],
    ['*a.io', 'xa.io', false],
    ['*.*.io', 'a.b.io', false],
    ['a.*', 'a.io', false],
    ['*.', 'a.', false],
  ]
  for (const [pattern, group, matches] of cases) t.equal(isGroupOf(pattern, group), matches, `${pattern} ${group}`)
  const crd = [{ group: 'a.io', version: '*', kind: 'Gadget' }]
  const api = [{ group: 'a.io', version: 'v1', kind: '*' }]
  t.ok(isManaged(crd, { group: 'a.io', version: 'v7', kind: 'Gadget' }))
  t.notOk(isManaged(crd, { group: 'a.io', version: 'v7', kind: 'Gizmo' }))
  t.ok(isManaged(api, { group: 'a.io', version: 'v1', kind: 'Gizmo' }))
  t.notOk(isManaged(api, { group: 'a.io', version: 'v2', kind: 'Gizmo' }))
})
