// Names and types of Component. Schema and CRD are in component/.
import type { componentSpec } from './component/spec.ts'
import type { componentStatus } from './component/status.ts'
import type { Typed } from './schema.ts'

/** The prefix of labels and annotations on dependents. Also the name of the field manager and the finalizer. */
export const componentName = 'component.core.espalier.dev'

export type ComponentFields = { spec: ComponentSpec; status?: ComponentStatus }
export type ComponentSpec = Typed<typeof componentSpec>
export type ComponentStatus = Typed<typeof componentStatus>

type ComponentSource = ComponentSpec['source']
export type OciSource = NonNullable<NonNullable<ComponentSource['helm']>['oci']>
export type ValuesReference = NonNullable<ComponentSpec['valuesFrom']>[number]
