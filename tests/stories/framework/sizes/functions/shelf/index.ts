// shelf: keeps a ConfigMap for each Shelf, with what is set about it.
import { component, shapes } from 'espalier'

export const shelfFunction = component({
  name: 'shelf.example.org',
  kind: { group: 'example.org', version: 'v1', kind: 'Shelf', plural: 'shelves' },
  settings: { wood: { sentence: 'Of which wood it is', shape: shapes.oneOfShape('oak', 'ash'), default: 'oak' } },
  generator: ({ settings }, namespace, name) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { wood: settings.wood } },
  ],
})
