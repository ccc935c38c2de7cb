// Types for the result of reach.ts: the references of a component, and the cluster of its dependents.
import type { References } from './references/references.ts'
import type { Secrecy } from './references/secrecy.ts'
import type { TargetClient } from './target-cluster.ts'

export type Referring = { readonly references: References; readonly secrecy: Secrecy }

export type Reached = Referring & {
  /** Digest of the component and its references. Example: the digest changes when a Secret in valuesFrom changes. */
  readonly digest: string
  readonly target: TargetClient
}
