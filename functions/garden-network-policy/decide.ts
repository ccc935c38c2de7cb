// Which policies must exist in which namespaces. Policies of other programs are never changed, except that a policy with our name and
// content gets our label.
import { isDeepStrictEqual } from 'node:util'
import { gardenNamespace } from '../../shared/api/garden.ts'
import { type Next, type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { isMap } from '../../shared/core/json/json.ts'
import { mergePatchTo } from '../../shared/core/json/merge-patch.ts'
import { type Network, parseNetwork } from '../../shared/core/network/cidr.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../shared/core/objects/object.ts'
import {
  networkPolicy,
  networkPolicySpec,
  type PolicyRow,
  policyRows,
  type Role,
  type RuntimeNetworks,
  runtimeNetworks,
} from './desired/network-policies.ts'
import { clustersMissing, conflicts, invalidNetworks, moreThanOneGarden, networkPolicyConflict } from './reasons.ts'
import { isOfShoot, isOwnPolicy, type World } from './world.ts'

/** `chosen`: names of namespaces that get all policies. */
const policiesOfNamespace = (namespace: KubeObject, chosen: ReadonlySet<string>): readonly PolicyRow[] =>
  chosen.has(namespace.metadata.name)
    ? policyRows
    : policyRows.filter(({ roles }) => roles.some(role => has[role](namespace)))

const hasLabel =
  (value: string) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['gardener.cloud/role'] === value

const has: Record<Role, (namespace: KubeObject) => boolean> = {
  garden: ({ metadata }) => metadata.name === gardenNamespace,
  shoot: hasLabel('shoot'),
  extension: hasLabel('extension'),
  'istio-system': hasLabel('istio-system'),
  'istio-ingress': hasLabel('istio-ingress'),
  'exposure-class': ({ metadata }) => metadata.labels?.['handler.exposureclass.gardener.cloud/name'] !== undefined,
}

const waitSeconds = 30

export const decide = (world: World): Plan => {
  const { gardens, policies } = world
  if (!gardens) return doing([])
  const [garden, ...others] = gardens
  if (!garden) return doing(policies.filter(isOwnPolicy).map(deletion))
  if (others.length > 0) return stalled(moreThanOneGarden(gardens))
  const read = runtimeNetworks(garden)
  return 'unreadable' in read ? stalled(invalidNetworks(read.unreadable)) : planFor(read.networks, world)
}

const doing = (steps: readonly Step[]): Plan => ({ steps, status: {}, events: [], next: settled })

const stalled = (reason: string): Plan => ({ ...doing([]), next: { is: 'stalled', reason } })

type Want = { readonly namespace: KubeObject; readonly row: PolicyRow }

type Verdict =
  | { readonly is: 'fine' }
  | { readonly is: 'step'; readonly step: Step }
  /** The networks of the namespace's shoot are not known. */
  | { readonly is: 'waiting'; readonly namespace: KubeObject }
  | { readonly is: 'conflict'; readonly policy: KubeObject; readonly namespace: KubeObject }

const planFor = (networks: RuntimeNetworks, world: World): Plan => {
  const namespaces = world.namespaces.filter(namespace => !isDeleting(namespace))
  const wants = namespaces.flatMap(namespace =>
    policiesOfNamespace(namespace, world.chosen).map(row => ({ namespace, row })),
  )
  const stored = new Map(world.policies.map(policy => [keyText(keyOf(policy)), policy]))
  const specOf = specs(networks, world)
  const verdicts = wants.map(want => verdictOn(want, { spec: specOf(want), policy: stored.get(placeOf(want)) }))
  const clashes = verdicts.filter(verdict => verdict.is === 'conflict')
  return {
    steps: [
      ...verdicts.flatMap(verdict => (verdict.is === 'step' ? verdict.step : [])),
      ...superfluous(namespaces, { wants, world }).map(deletion),
    ],
    status: {},
    events: clashes.map(({ policy, namespace }) => networkPolicyConflict(policy, namespace)),
    next: nextAfter(verdicts),
  }
}

const placeOf = ({ namespace, row }: Want): string => keyText({ namespace: namespace.metadata.name, name: row.name })

/** Our policies that are no longer needed. Namespaces in deletion are skipped, because their policies are deleted anyway. */
const superfluous = (
  namespaces: readonly KubeObject[],
  { wants, world }: { wants: readonly Want[]; world: World },
): KubeObject[] => {
  const places = new Set(wants.map(placeOf))
  const names = new Set(namespaces.map(({ metadata }) => metadata.name))
  return world.policies.filter(
    policy => isOwnPolicy(policy) && names.has(policy.metadata.namespace ?? '') && !places.has(keyText(keyOf(policy))),
  )
}

/** Returns undefined while the shoot's networks are unknown, because without them the policy would allow too much. */
const specs = (networks: RuntimeNetworks, world: World): ((want: Want) => object | undefined) => {
  const { apiServer } = world
  const specOf = (row: PolicyRow, shoot: readonly Network[]) => networkPolicySpec(row, { networks, apiServer, shoot })
  const everywhere = new Map(policyRows.map(row => [row, specOf(row, [])]))
  return ({ namespace, row }) => {
    if (!row.dependsOnShoot || !isOfShoot(namespace)) return everywhere.get(row)
    const shoot = shootNetworks(namespace, world)
    return shoot && specOf(row, shoot)
  }
}

/** Returns undefined if the Cluster is missing or has an invalid network. */
const shootNetworks = ({ metadata }: KubeObject, { shoots }: World): readonly Network[] | undefined => {
  const networks = shoots.get(metadata.name)?.map(parseNetwork)
  return networks?.every(network => network !== undefined) ? networks : undefined
}

type Found = { readonly spec: object | undefined; readonly policy: KubeObject | undefined }

const verdictOn = ({ namespace, row }: Want, { spec, policy }: Found): Verdict => {
  if (!spec) return { is: 'waiting', namespace }
  const wanted = networkPolicy(row, { namespace: namespace.metadata.name, spec })
  if (!policy) return { is: 'step', step: { do: 'create', object: wanted } }
  if (!isOwnPolicy(policy) && !meansTheSame(policy.spec, spec)) return { is: 'conflict', policy, namespace }
  const merge = correction(policy, wanted)
  const isFine = isDeleting(policy) || Object.keys(merge).length === 0
  return isFine ? { is: 'fine' } : { is: 'step', step: { do: 'patch', target: policy, merge } }
}

/** In a policy the order of lists has no meaning. */
const meansTheSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(unordered(one), unordered(other))

const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(item => JSON.stringify(unordered(item))).sort()
  if (!isMap(value)) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([field, content]) => [field, unordered(content)]))
}

/** The merge patch that corrects a policy. Labels and annotations from other programs stay. */
const correction = ({ metadata, spec }: KubeObject, wanted: KubeObject): Record<string, unknown> => {
  const { labels, annotations } = metadata
  const should = {
    labels: { ...labels, ...wanted.metadata.labels },
    annotations: { ...annotations, ...wanted.metadata.annotations },
  }
  const before = { metadata: { labels, annotations }, spec }
  return mergePatchTo(before, { metadata: should, spec: wanted.spec }) as Record<string, unknown>
}

const deletion = (target: KubeObject): Step => ({ do: 'delete', target })

/** A missing Cluster is looked for again, because no event comes for a kind that is not served yet. */
const nextAfter = (verdicts: readonly Verdict[]): Next => {
  const waiting = verdicts.flatMap(verdict => (verdict.is === 'waiting' ? verdict.namespace.metadata.name : []))
  if (waiting.length > 0) return { is: 'waiting', seconds: waitSeconds, for: clustersMissing(waiting) }
  const foreign = verdicts.flatMap(verdict => (verdict.is === 'conflict' ? verdict.policy : []))
  return foreign.length > 0 ? { is: 'stalled', reason: conflicts(foreign) } : settled
}
