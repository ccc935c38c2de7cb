// Kyma's kinds as the API server returns them, and parts of these kinds that several functions use.
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
/** The name of a Manifest, and the objects in its status and spec. Example of an object: `apps Deployment web shop` */
export type HoldingManifest = KubeObject & { readonly objects: readonly string[] }
export type Watcher = KubeObject & WatcherFields

export type ModuleEntry = NonNullable<Kyma['spec']['modules']>[number]

export type ModuleStatus = NonNullable<NonNullable<Kyma['status']>['modules']>[number]

/** The operation of a Kyma or a Manifest, with its start time. */
export type LastOperation = NonNullable<NonNullable<Kyma['status']>['lastOperation']>

/** The definitions of the Go operator accept objects without a spec. We treat a missing spec as an empty spec. */
export const withSpec = <Made extends KubeObject & { readonly spec: object }>(object: KubeObject): Made =>
  (object.spec ? object : { ...object, spec: {} }) as Made

export type ModuleState = ModuleStatus['state']

export const isModuleWell = ({ state }: { readonly state?: unknown }): boolean =>
  state === 'Ready' || state === 'Unmanaged'

/** The states of Kymas, and of modules that cannot become Unmanaged. */
export const usualStates: readonly ModuleState[] = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']
