// The kind Website: its fields, once for the compiler and for the API server.
import type { Condition, KubeObject } from 'espalier'
import {
  ageColumn,
  conditionColumn,
  customResourceDefinition,
  list,
  object,
  options,
  raw,
  type Typed,
  text,
} from 'espalier/schema'

const spec = object({ greeting: text })

export type Website = KubeObject & { spec: Typed<typeof spec>; status?: { conditions?: readonly Condition[] } }

export const definition = customResourceDefinition({
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  description: 'What somebody wants.',
  columns: [conditionColumn('Ready', 'Ready', 'Whether its ConfigMap is there.'), ageColumn],
  spec,
  status: options({ conditions: list(raw) }),
})
