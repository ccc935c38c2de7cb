// The kind Website: its fields, once for the compiler and for the API server.
import type { KubeObject } from 'espalier'
import { ageColumn, customResourceDefinition, object, type Typed, text } from 'espalier/schema'

const spec = object({ greeting: text })

export type Website = KubeObject & { spec: Typed<typeof spec> }

export const definition = customResourceDefinition({
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  description: 'What somebody wants.',
  columns: [ageColumn],
  spec,
})
