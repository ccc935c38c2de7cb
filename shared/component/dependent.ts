// The rendered manifests as dependents: each with its policies and its digest. What is wrong with them is said all at once.
import { type KubeObject, refOf, refText } from '../core/object.ts'
import { remembered } from '../core/remembered.ts'
import { isDeleteHook, type Policies, policiesOf } from './annotations.ts'
import { kindsKnown } from './away.ts'
import { dependentDigest } from './digest.ts'
import { type Item, type ItemKey, itemKey, type ManagedType, objectKey } from './item.ts'
import { managedTypesOf, typeOf } from './managed-types.ts'
import { shapeFaults } from './manifest-faults.ts'
import { normalised } from './normalised.ts'
import { orderFaults } from './order-rules.ts'
import { type ScopeOf, scopesIn } from './scopes.ts'
import type { Settings } from './settings.ts'
import type { Question, World } from './world.ts'

/** What a component wants to have in the cluster. */
export type Dependent = {
  readonly key: ItemKey
  readonly object: KubeObject
  readonly policies: Policies
  readonly managedTypes: readonly ManagedType[]
  readonly digest: string
}

/** With faults, nothing may be written. */
export type Declared = { readonly dependents: readonly Dependent[]; readonly faults: readonly string[] }

/** All that matters of what was rendered, delete hooks too. */
export const declared = (world: World): Declared => {
  const { manifests, wish, settings, namespace, componentDigest } = world
  return declaredIn(manifests, kindsKnown(world), wish, settings, namespace, componentDigest)
}

type Declaring = Pick<Question, 'manifests' | 'wish' | 'settings' | 'namespace' | 'componentDigest'>

const declaredIn = remembered(
  (
    manifests: Question['manifests'],
    kinds: World['found']['kinds'],
    wish: Question['wish'],
    settings: Settings,
    namespace: string,
    componentDigest: string,
  ) => declaredBy({ manifests, wish, settings, namespace, componentDigest }, kinds),
)

const declaredBy = (declaring: Declaring, kinds: World['found']['kinds']): Declared => {
  const manifests = manifestsAtStake(declaring)
  const misshapen = manifests.flatMap((manifest, index) => shapeFaults(manifest, index))
  if (misshapen.length > 0) return { dependents: [], faults: misshapen }
  const scopeOf = scopesIn(declaring.manifests, kinds)
  const made = manifests.map(manifest => dependentOf(manifest, declaring, scopeOf(manifest)))
  const dependents = made.map(({ dependent }) => dependent)
  return {
    dependents,
    faults: [...made.flatMap(({ faults }) => faults), ...twins(dependents), ...orderFaults(dependents)],
  }
}

/** When the component goes, only its delete hooks: nothing that is wrong with the rest may keep it. */
export const manifestsAtStake = ({ wish, settings, manifests }: Declaring): readonly KubeObject[] => {
  if (wish === 'apply' || settings.whileBlocked === 'repair') return manifests
  return settings.skipsDeleteHooks ? [] : manifests.filter(manifest => isDeleteHook(manifest, settings.reconcilerName))
}

const dependentOf = (manifest: KubeObject, question: Declaring, scope: ReturnType<ScopeOf>) => {
  const { object, digest } = normalised(manifest, question, scope)
  const { policies, faults } = policiesOf(object, question.settings)
  const name = refText(refOf(object))
  return {
    dependent: {
      key: objectKey(object),
      object,
      policies,
      managedTypes: managedTypesOf(object),
      digest: dependentDigest(digest, policies.reconcilePolicy, question.componentDigest),
    },
    faults: [
      ...faults.map(fault => `${name}: ${fault}`),
      ...(scope === 'unserved' ? [`${name}: the cluster serves no ${object.apiVersion} ${object.kind}`] : []),
    ],
  }
}

/** A chart may well have the same object made at installation and again for deletion, each in its own time. */
const twins = (dependents: readonly Dependent[]): string[] =>
  [...Map.groupBy(dependents, dependent => `${isRegular(dependent)} ${dependent.key}`).values()]
    .filter(([_, second]) => second !== undefined)
    .map(same => {
      const versions = [...new Set(same.map(({ object }) => object.apiVersion))].join(' and ')
      return `${same.slice(0, 1).map(({ object }) => refText(refOf(object)))} is rendered ${same.length} times (${versions})`
    })

/** The dependent of an item. Of twins it is the one whose digest the item has, else the delete hook: it has one of its time. */
export const dependentOfItem = (world: World): ((item: Item) => Dependent | undefined) => {
  const byKey = Map.groupBy(declared(world).dependents, ({ key }) => key)
  return item => {
    const same = byKey.get(itemKey(item)) ?? []
    return same.find(({ digest }) => digest === item.digest) ?? same.find(one => !isRegular(one)) ?? same[0]
  }
}

/** The entry by which the inventory remembers it, before it is written. */
export const itemFor = ({ object, policies, managedTypes, digest }: Dependent): Item => {
  const { group, version, kind } = typeOf(object)
  const { adoptionPolicy, reconcilePolicy, updatePolicy, deletePolicy, applyOrder, deleteOrder } = policies
  return {
    group,
    version,
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    adoptionPolicy,
    reconcilePolicy,
    updatePolicy,
    deletePolicy,
    applyOrder,
    deleteOrder,
    managedTypes,
    digest,
    fingerprint: '',
    phase: 'ScheduledForApplication',
    status: 'InProgress',
    lastAppliedAt: '',
  }
}

/** Kept by the component itself, as against delete hooks. */
export const isRegular = ({ policies }: Dependent): boolean => policies.deleteHooks.length === 0
