// Converts rendered manifests to dependents with policies and digests, and collects the faults of all manifests.
import { isMap, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { isPathSegment } from '../../core/objects/dns-name.ts'
import { type KubeObject, keyOf, keyText, type ObjectMeta, refOf, refText } from '../../core/objects/object.ts'
import { encodedText } from '../../core/objects/secret-text.ts'
import { type Item, itemKey, objectKey } from '../item.ts'
import { digestKey, ownerKey } from '../ownership.ts'
import type { EngineSettings } from '../settings.ts'
import { type EngineInput, openSentence, type Sentence, type World } from '../world.ts'
import { isDeleteHook, policiesOf } from './annotations.ts'
import { type Dependent, dependentDigest, isRegular, objectDigest } from './dependent.ts'
import { kindsKnown, managedTypesOf, type ScopeOf, scopesIn } from './kinds.ts'
import { namespaceFault, shapeFaults } from './manifest-faults.ts'
import { orderFaults } from './order-faults.ts'

/** If `faults` is not empty, nothing may be written. */
type Declared = { readonly dependents: readonly Dependent[]; readonly faults: readonly Sentence[] }

export const declared = (world: World): Declared => {
  const { manifests, goal, settings, namespace, componentDigest, isConfidential = false } = world
  return declaredIn(manifests, kindsKnown(world), goal, settings, namespace, componentDigest, isConfidential)
}

type Declaring = Pick<
  EngineInput,
  'manifests' | 'goal' | 'settings' | 'namespace' | 'componentDigest' | 'isConfidential'
>

const declaredIn = remembered(
  (
    manifests: EngineInput['manifests'],
    kinds: World['observed']['kinds'],
    goal: EngineInput['goal'],
    settings: EngineSettings,
    namespace: string,
    componentDigest: string,
    isConfidential: boolean,
  ) => declaredBy({ manifests, goal, settings, namespace, componentDigest, isConfidential }, kinds),
)

/** While the deletion is blocked, manifests are only needed for repairs. Their faults must not block the deletion. */
const declaredBy = (declaring: Declaring, kinds: World['observed']['kinds']): Declared => {
  const { goal, settings } = declaring
  const all = judged(declaring, kinds)
  return all.faults.length > 0 && goal === 'delete' && settings.whileBlocked === 'repair'
    ? judged({ ...declaring, settings: { ...settings, whileBlocked: 'hold' } }, kinds)
    : all
}

const judged = (declaring: Declaring, kinds: World['observed']['kinds']): Declared => {
  const manifests = manifestsAtStake(declaring)
  const misshapen = shapeFaults(manifests, declaring)
  if (misshapen.length > 0) return { dependents: [], faults: misshapen }
  const scopeOf = scopesIn(declaring.manifests, kinds)
  const made = manifests.map(manifest => dependentOf(manifest, declaring, scopeOf(manifest)))
  const dependents = made.map(({ dependent }) => dependent)
  return {
    dependents,
    faults: [
      ...made.flatMap(({ faults }) => faults),
      ...twins(dependents),
      ...orderFaults(dependents).map(openSentence),
    ],
  }
}

/** At the component's deletion only delete hooks count, so that a fault in another manifest does not block the deletion. */
export const manifestsAtStake = ({ goal, settings, manifests }: Declaring): readonly KubeObject[] => {
  if (goal === 'apply' || settings.whileBlocked === 'repair') return manifests
  return settings.skipsDeleteHooks ? [] : manifests.filter(manifest => isDeleteHook(manifest, settings.reconcilerName))
}

const dependentOf = (manifest: KubeObject, input: Declaring, scope: ReturnType<ScopeOf>) => {
  const { object, digest } = normalised(manifest, input, scope)
  const { policies, faults } = policiesOf(object, input.settings)
  const name = refText(refOf(object))
  return {
    dependent: {
      key: objectKey(object),
      object,
      policies,
      managedTypes: managedTypesOf(object),
      digest: dependentDigest(digest, policies.reconcilePolicy, input.componentDigest),
    },
    faults: [
      ...faults.map(({ full, bare }) => ({ full: `${name}: ${full}`, bare: `${name}: ${bare}` })),
      ...(scope === 'unserved' ? [unserved(object)] : []),
      ...(isMisplaced(object) ? [openSentence(`${name} ${namespaceFault}`)] : []),
    ],
  }
}

/** Checks the inherited namespace. `shapeFaults` has already checked a namespace in the manifest. */
const isMisplaced = ({ metadata: { namespace } }: KubeObject): boolean =>
  namespace !== undefined && !isPathSegment(namespace)

/** The bare sentence leaves out the kind, because the name of an unserved kind may come from a Secret. */
const unserved = (object: KubeObject): Sentence => ({
  full: `${refText(refOf(object))}: the cluster serves no ${object.apiVersion} ${object.kind}`,
  bare: `the manifest ${keyText(keyOf(object))}: the cluster serves no such kind`,
})

/**
 * Finds manifests of the same object. A regular dependent and a delete hook may share an object, because they are applied at different
 * times.
 */
const twins = (dependents: readonly Dependent[]): Sentence[] =>
  [...Map.groupBy(dependents, dependent => `${isRegular(dependent)} ${dependent.key}`).values()]
    .filter(([_, second]) => second !== undefined)
    .map(same => {
      const versions = [...new Set(same.map(({ object }) => object.apiVersion))].join(' and ')
      const bare = `${same.slice(0, 1).map(({ object }) => refText(refOf(object)))} is rendered ${same.length} times`
      return { full: `${bare} (${versions})`, bare }
    })

/** If a regular dependent and a delete hook share the object, the dependent with the item's digest counts, otherwise the hook. */
export const dependentOfItem = (world: World): ((item: Item) => Dependent | undefined) => {
  const byKey = Map.groupBy(declared(world).dependents, ({ key }) => key)
  return item => {
    const same = byKey.get(itemKey(item)) ?? []
    return same.find(({ digest }) => digest === item.digest) ?? same.find(one => !isRegular(one)) ?? same[0]
  }
}

// Normalises a manifest for comparing and sending. Example: a Secret's stringData becomes data, and a rendered owner label is removed,
// because only the engine writes it.
type Normalised = { readonly object: KubeObject; readonly digest: string }

type Where = Pick<EngineInput, 'settings' | 'namespace'>

const normalised = (manifest: KubeObject, input: Where, scope: ReturnType<ScopeOf>): Normalised =>
  normalisedIn(manifest, input.settings.reconcilerName, input.namespace, scope)

const normalisedIn = remembered(
  (manifest: KubeObject, reconcilerName: string, namespace: string, scope: ReturnType<ScopeOf>): Normalised => {
    const { namespace: written, ...metadata } = ownedMetadata(manifest.metadata, reconcilerName)
    const inherited = scope === 'namespaced' ? namespace : undefined
    const place = scope === 'cluster' ? undefined : written || inherited
    const object = withoutStringData({ ...manifest, metadata: place ? { ...metadata, namespace: place } : metadata })
    return { object, digest: objectDigest(object) }
  },
)

/** Removes our labels and annotations, nulls, and managedFields, which API servers refuse in an apply. */
const ownedMetadata = (metadata: ObjectMeta, reconcilerName: string): ObjectMeta => {
  const owned = [ownerKey(reconcilerName), digestKey(reconcilerName)]
  const { managedFields: _, ...rendered } = metadata
  const entries = Object.entries(rendered).filter(([_, value]) => value !== null && value !== undefined)
  const cleared = entries.map(([field, value]) =>
    (field === 'labels' || field === 'annotations') && isMap(value) ? [field, without(value, owned)] : [field, value],
  )
  return Object.fromEntries(cleared)
}

const without = (map: JsonMap, keys: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)))

/** Converts stringData to data as the API server does. stringData is write-only and cannot be compared with the live object. */
const withoutStringData = (object: KubeObject): KubeObject => {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret' || !('stringData' in object)) return object
  const { stringData, ...secret } = object
  const encoded = Object.entries(mapOrEmpty(stringData)).map(([key, text]) => [key, encodedText(String(text ?? ''))])
  return { ...secret, data: { ...mapOrEmpty(secret.data), ...Object.fromEntries(encoded) } }
}
