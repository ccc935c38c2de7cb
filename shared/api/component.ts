// Component: the words and types by which functions speak of it. Its schema and CRD are in component/, from which the types
// come.
import type { componentSpec } from './component/spec.ts'
import type { componentStatus } from './component/status.ts'
import type { Typed } from './schema.ts'

/** The name that the keys of labels and annotations on dependents begin with; field manager and finalizer too. */
export const componentName = 'component.core.espalier.dev'

/** What makes a Kubernetes object a Component, besides its metadata. */
export type ComponentFields = { spec: ComponentSpec; status?: ComponentStatus }
export type ComponentSpec = Typed<typeof componentSpec>
export type ComponentStatus = Typed<typeof componentStatus>

type ComponentSource = ComponentSpec['source']
export type OciSource = NonNullable<NonNullable<ComponentSource['helm']>['oci']>
export type ValuesReference = NonNullable<ComponentSpec['valuesFrom']>[number]
