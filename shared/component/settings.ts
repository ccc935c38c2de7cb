// The settings of one pass: defaults of the kind, overridden by the component. Annotations of a manifest override some settings
// (declared/annotations.ts).
import type { KubeObject } from '../core/objects/object.ts'
import type { AdoptionPolicy, DeletePolicy, UpdatePolicy } from './declared/policies.ts'
import type { ManagedType } from './inventory/item.ts'
import type { ObjectReadiness } from './observed/readiness-by-kind.ts'

export type EngineSettings = {
  /** Prefix of our labels and annotations, such as `component.core.espalier.dev` in `component.core.espalier.dev/digest`. */
  readonly reconcilerName: string
  readonly finalizer: string
  readonly adoptionPolicy: AdoptionPolicy
  /** Recognises objects without our owner label, from a program that the component replaces. Absent: no such objects. */
  readonly inherits?: (object: KubeObject) => boolean
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly reapplySeconds: number
  readonly createMissingNamespaces: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  /** Prefixes of field managers. The update policy `ssa-override` takes over fields of these managers. */
  readonly reclaimedManagers: readonly string[]
  readonly hasCrdFinalizers: boolean
  /** Types whose instances block the deletion. `managed`: the managed types and the additional types. A list replaces all of them. */
  readonly deletionBlockers: 'managed' | 'none' | readonly GroupKind[]
  readonly whileBlocked: 'hold' | 'repair'
  readonly skipsDeleteHooks: boolean
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Default: the built-in rules. */
  readonly readiness?: (object: KubeObject, builtIn: ObjectReadiness) => ObjectReadiness
}

/** Group: exact, `*` or `*.suffix`. Kind: exact or `*`. */
export type GroupKind = Pick<ManagedType, 'group' | 'kind'>

/** Priorities by `Kind.group`, such as `ConfigMap` or `Deployment.apps`. The lowest is first. Default: 0. */
export type Priorities = Readonly<Record<string, number>>
