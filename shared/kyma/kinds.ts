// Kyma's kinds as the API server gives them, and the parts of them that several functions speak of.
import type { KymaFields, ManifestFields, ModuleTemplateFields } from '../api/kyma.ts'
import type { KubeObject } from '../core/object.ts'

export type Kyma = KubeObject & KymaFields
export type ModuleTemplate = KubeObject & ModuleTemplateFields
export type Manifest = KubeObject & ManifestFields
