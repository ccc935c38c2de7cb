// Names and types of Kyma, ModuleTemplate, ModuleReleaseMeta, Manifest and Watcher. Schemas and CRDs are in kyma/.
import type { watcherSpec, watcherStatus } from './kyma/crds.ts'
import type { kymaSpec, kymaStatus } from './kyma/kyma.ts'
import type { manifestSpec, manifestStatus, moduleReleaseMetaSpec, moduleTemplateSpec } from './kyma/modules.ts'
import type { Typed } from './schema.ts'

const apiVersion = 'operator.kyma-project.io/v1beta2'

export const kymaKind = { apiVersion, kind: 'Kyma' } as const
export const moduleTemplateKind = { apiVersion, kind: 'ModuleTemplate' } as const
export const moduleReleaseMetaKind = { apiVersion, kind: 'ModuleReleaseMeta' } as const
export const manifestKind = { apiVersion, kind: 'Manifest' } as const
export const watcherKind = { apiVersion, kind: 'Watcher' } as const

export type KymaFields = { spec: Typed<typeof kymaSpec>; status?: Typed<typeof kymaStatus> }
export type ModuleTemplateFields = { spec: Typed<typeof moduleTemplateSpec> }
export type ModuleReleaseMetaFields = { spec: Typed<typeof moduleReleaseMetaSpec> }
export type ManifestFields = { spec: Typed<typeof manifestSpec>; status?: Typed<typeof manifestStatus> }
export type WatcherFields = { spec: Typed<typeof watcherSpec>; status?: Typed<typeof watcherStatus> }
