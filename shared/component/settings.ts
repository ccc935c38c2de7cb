// What a pass obeys: the options of a definition with the component's own configuration laid over them. Where each value
// comes from is settled before; annotations of single manifests still override some (declared/annotations.ts).
import type { KubeObject } from '../core/object.ts'
import type { AdoptionPolicy, DeletePolicy, UpdatePolicy } from './declared/policies.ts'
import type { ManagedType } from './inventory/item.ts'
import type { ObjectReadiness } from './observed/readiness-by-kind.ts'

export type EngineSettings = {
  /** P: what keys of labels and annotations begin with. */
  readonly reconcilerName: string
  readonly finalizer: string
  readonly adoptionPolicy: AdoptionPolicy
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly reapplySeconds: number
  readonly createMissingNamespaces: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  /** Prefixes of field managers whose fields become ours under ssa-override. */
  readonly reclaimedManagers: readonly string[]
  readonly hasCrdFinalizers: boolean
  /** `managed`: the managed types of items and the additional ones; a list replaces both. */
  readonly deletionBlockers: 'managed' | 'none' | readonly GroupKind[]
  readonly whileBlocked: 'hold' | 'repair'
  readonly skipsDeleteHooks: boolean
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Absent: the built-in rules. */
  readonly readiness?: (object: KubeObject, builtIn: ObjectReadiness) => ObjectReadiness
}

/** Group exact, `*` or `*.suffix`; kind exact or `*`. */
export type GroupKind = Pick<ManagedType, 'group' | 'kind'>

/** By `Kind.group` (`ConfigMap`, `Deployment.apps`); the lowest goes first, and 0 counts for what is not named. */
export type Priorities = Readonly<Record<string, number>>
