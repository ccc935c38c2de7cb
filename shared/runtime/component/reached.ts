// The objects that a component refers to, and the cluster of its dependents. Known once both are read (reach.ts).
import type { References } from './references/references.ts'
import type { Secrecy } from './references/secrecy.ts'
import type { TargetClient } from './target-cluster.ts'

/** References of the component, and the values among them that must stay secret. */
export type Referring = { readonly references: References; readonly secrecy: Secrecy }

export type Reached = Referring & {
  /** Of the component and what it refers to. Example: the Secret named in valuesFrom changes, and so does this. */
  readonly digest: string
  readonly target: TargetClient
}
