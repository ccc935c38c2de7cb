// What a component leads to: the objects it refers to, and the cluster of its dependents. Known once both are read.

import type { References } from './references/references.ts'
import type { TargetClient } from './target-cluster.ts'

export type Reached = {
  /** Of the component and what it refers to. Example: the Secret named in valuesFrom changes, and so does this. */
  readonly digest: string
  readonly references: References
  readonly target: TargetClient
}
