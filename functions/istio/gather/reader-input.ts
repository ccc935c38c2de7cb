// The arguments of the readers.
import type { Log } from '../../../shared/core/log.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { Charts } from '../io/charts.ts'
import type { RunWorld } from '../parts/all-parts.ts'
import type { RestartsTried } from '../rules/restarts/pod-survey.ts'
import type { World } from '../world.ts'

export type ReaderInput = {
  /** Includes the facts of earlier stages. */
  readonly world: World
  readonly context: GatherContext
  readonly now: Date
  /** Sidecar restarts of earlier passes of this call. */
  readonly tried: RestartsTried
  /** Logs lists of names that are too long for the status. */
  readonly log: Log
}

/** `before`: the previous pass of this call, if any. */
export type ChartReaderInput = ReaderInput & { readonly charts: Charts; readonly before: RunWorld | undefined }
