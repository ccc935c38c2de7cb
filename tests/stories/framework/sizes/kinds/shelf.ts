// The kind Shelf.
import { customResourceDefinition, object, raw } from 'espalier/schema'

export const definition = customResourceDefinition({
  group: 'example.org',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Namespaced',
  description: 'A shelf.',
  columns: [],
  spec: object({}),
  status: raw,
})
