// The settings of one pass: the options of the kind, overridden by the component's own configuration. Annotations of a manifest
// override some of them for that manifest (declared/annotations.ts).
import type { KubeObject } from '../core/objects/object.ts'
import type { AdoptionPolicy, DeletePolicy, UpdatePolicy } from './declared/policies.ts'
import type { ManagedType } from './inventory/item.ts'
import type { ObjectReadiness } from './observed/readiness-by-kind.ts'

export type EngineSettings = {
  /** Prefix of our labels and annotations: `component.core.espalier.dev` gives `component.core.espalier.dev/digest`. */
  readonly reconcilerName: string
  readonly finalizer: string
  readonly adoptionPolicy: AdoptionPolicy
  /** Objects without our owner label that are the component's all the same: of a program whose work it continues. Absent: none. */
  readonly inherits?: (object: KubeObject) => boolean
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly reapplySeconds: number
  readonly createMissingNamespaces: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  /** Prefixes of field managers. With the update policy `ssa-override` their fields become ours. */
  readonly reclaimedManagers: readonly string[]
  readonly hasCrdFinalizers: boolean
  /** Whose instances block the deletion. `managed`: managed types of the items, and the additional ones; a list replaces both. */
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

/** By `Kind.group`, such as `ConfigMap` or `Deployment.apps`. The lowest goes first; a kind that is not named has 0. */
export type Priorities = Readonly<Record<string, number>>
