// In which order garden-network-policy reads: another copy of it may act between two of its lists.
import t from 'tap'
import { decide } from '../../../functions/garden-network-policy/decide.ts'
import { gather } from '../../../functions/garden-network-policy/gather.ts'
import { networkPolicyKind } from '../../../functions/garden-network-policy/world.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { garden } from '../../make/garden.ts'
import { namespace, namespaceOf } from '../../make/namespaces.ts'

/** A cluster in which `meanwhile` happens right before policies are listed. */
const readsWhile = (objects: KubeObject[], meanwhile: () => void): Reads => ({
  get: async () => undefined,
  list: async ({ kind, keep = object => object }: ListQuery) => {
    if (kind === networkPolicyKind.kind) meanwhile()
    return objects.filter(object => object.kind === kind).flatMap(object => keep(object) ?? [])
  },
})

t.test('GA-137 RE-10 policies that another copy makes while we read are not taken for superfluous', async t => {
  const home = namespaceOf('extension', 'e')
  const policies = decide({
    ...{ gardens: [garden()], namespaces: [home], chosen: new Set<string>(), policies: [], shoots: new Map() },
    apiServer: { addresses: [], ports: [] },
  }).steps.flatMap(step => (step.do === 'create' ? step.object : []))
  t.equal(policies.length, 6)
  const objects: KubeObject[] = [home]
  const reads = readsWhile(objects, () => objects.push(garden(), ...policies))
  t.strictSame(decide(await gather(namespace('default'), { reads })).steps, [])
})

t.test('GA-136 RE-10 nor those of a namespace that gets its role while we read', async t => {
  const home = namespaceOf('extension', 'e')
  const objects: KubeObject[] = [garden(), namespace('e')]
  const given = await gather(namespace('default'), { reads: readsWhile([garden(), home], () => {}) })
  const policies = decide(given).steps.flatMap(step => (step.do === 'create' ? step.object : []))
  const reads = readsWhile(objects, () => objects.splice(1, 1, home, ...policies))
  t.strictSame(decide(await gather(namespace('default'), { reads })).steps, [])
})
