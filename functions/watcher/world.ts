// The facts on which the watcher function decides.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'
import type { WatcherSettings } from './settings.ts'

export type World = {
  readonly watcher: Watcher
  readonly settings: WatcherSettings
  /** The Gateways that the Watcher selects, sorted by namespace and name. undefined: the API server does not serve Istio's kinds. */
  readonly gateways: readonly Gateway[] | undefined
  /** The VirtualService with the Watcher's name, whoever created it. */
  readonly virtualService: KubeObject | undefined
}

/** The fields of Istio's Gateway that determine routes. */
export type Gateway = KubeObject & { readonly spec?: { readonly servers?: unknown } }
