// What the readers of facts get.
import type { Log } from '../../../shared/core/log.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { Charts } from '../io/charts.ts'
import type { RunWorld } from '../parts/all-parts.ts'
import type { RestartsTried } from '../rules/restarts/pod-survey.ts'
import type { World } from '../world.ts'

export type ReaderInput = {
  /** The world with the facts of the stages above. */
  readonly world: World
  readonly context: GatherContext
  readonly now: Date
  /** Restarts of sidecars that earlier passes of this call tried. */
  readonly tried: RestartsTried
  /** For lists of names that are too long for a status. */
  readonly log: Log
}

/** `before`: the previous pass of this call; undefined in the first pass. */
export type ChartReaderInput = ReaderInput & { readonly charts: Charts; readonly before: RunWorld | undefined }
