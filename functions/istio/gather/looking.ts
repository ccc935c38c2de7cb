// What a reader of facts gets.
import type { Log } from '../../../shared/core/log.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { Charts } from '../../../shared/runtime/charts.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { RunWorld } from '../parts/all-parts.ts'
import type { RestartsTried } from '../rules/restarts/survey.ts'
import type { World } from '../world.ts'

export type Looking = {
  /** With the facts of the parts above. */
  readonly world: World
  readonly context: GatherContext
  readonly now: Date
  /** Of sidecars, by earlier passes of this call. */
  readonly tried: RestartsTried
  /** For what others write alone: asked once in a call. */
  readonly lasting: Reads
  /** For what is too long to be told. */
  readonly log: Log
}

/** `before`: the pass before in this call; undefined: this is the first. */
export type LookingAtCharts = Looking & { readonly charts: Charts; readonly before: RunWorld | undefined }
