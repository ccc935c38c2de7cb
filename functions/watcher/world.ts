// All that the watcher function knows when it decides.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'
import type { WatcherSettings } from './settings.ts'

export type World = {
  readonly watcher: Watcher
  readonly settings: WatcherSettings
  /** The Gateways that the Watcher selects, by namespace and name; undefined: the API server serves no Istio. */
  readonly gateways: readonly Gateway[] | undefined
  /** The VirtualService of the Watcher's name, whoever made it. */
  readonly virtualService: KubeObject | undefined
}

/** A Gateway of Istio, as far as routes depend on it. */
export type Gateway = KubeObject & { readonly spec?: { readonly servers?: unknown } }
