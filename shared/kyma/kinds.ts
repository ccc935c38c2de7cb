// Kyma's kinds as the API server gives them, and the parts of them that several functions speak of.
import type {
  KymaFields,
  ManifestFields,
  ModuleReleaseMetaFields,
  ModuleTemplateFields,
  WatcherFields,
} from '../api/kyma.ts'
import type { KubeObject } from '../core/objects/object.ts'

export type Kyma = KubeObject & KymaFields
export type ModuleTemplate = KubeObject & ModuleTemplateFields
export type ModuleReleaseMeta = KubeObject & ModuleReleaseMetaFields
export type Manifest = KubeObject & ManifestFields
/** A Manifest by its name, and the objects that it says it has, such as `apps Deployment web shop`. */
export type HoldingManifest = KubeObject & { readonly objects: readonly string[] }
export type Watcher = KubeObject & WatcherFields

/** What the spec of a Kyma says of one module. */
export type ModuleEntry = NonNullable<Kyma['spec']['modules']>[number]

/** What the status of a Kyma says of one module. */
export type ModuleStatus = NonNullable<NonNullable<Kyma['status']>['modules']>[number]

/** What a Kyma or a Manifest is doing, and since when. */
export type LastOperation = NonNullable<NonNullable<Kyma['status']>['lastOperation']>

export type ModuleState = ModuleStatus['state']
