// The kind Website: its fields, once for the compiler and for the API server.
import {
  ageColumn,
  conditionColumn,
  customResourceDefinition,
  defaulted,
  int32,
  object,
  options, // --remote
  raw,
  type Typed,
  text,
} from 'espalier/schema'

const spec = object(
  { greeting: text },
  {
    replicas: defaulted(int32, 1),
    kubeConfig: options({ secretRef: object({ name: text, key: text }) }), // --remote
  },
)

export type WebsiteSpec = Typed<typeof spec>

export const definition = customResourceDefinition({
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  description: 'What somebody wants.',
  columns: [conditionColumn('Ready', 'Ready', 'Whether all its objects are ready.'), ageColumn],
  spec,
  status: raw,
})
