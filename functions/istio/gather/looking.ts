// What a reader of facts gets.
import type { Log } from '../../../shared/core/log.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { Charts } from '../../../shared/runtime/charts.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
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

/** What the pass before saw of the installation, if it wrote nothing to it: it need not be read again. */
export type Untouched = { objects?: readonly KubeObject[] | undefined }

export type LookingAtCharts = Looking & { readonly charts: Charts; readonly untouched: Untouched }
