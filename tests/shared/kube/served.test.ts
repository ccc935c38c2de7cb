// What an API server serves, as it tells in one document for all groups.
import t from 'tap'
import { createClient } from '../../../shared/kube/client.ts'
import { servedKinds } from '../../../shared/kube/served.ts'
import { json, scriptedServer, status } from './scripted-server.ts'

const resource = (kind: string, verbs: string[]) => ({
  resource: `${kind.toLowerCase()}s`,
  responseKind: { group: '', version: 'v1', kind },
  verbs,
})

const documents: Record<string, object[]> = {
  '/api': [{ metadata: {}, versions: [{ version: 'v1', resources: [resource('Pod', ['get', 'list'])] }] }],
  '/apis': [
    {
      metadata: { name: 'shops.example' },
      versions: [
        { version: 'v2', freshness: 'Current', resources: [resource('Shop', ['get'])] },
        {
          version: 'v1',
          freshness: 'Current',
          resources: [resource('Shop', ['list']), { resource: 'tills', subresources: [{ subresource: 'drawer' }] }],
        },
      ],
    },
    {
      metadata: { name: 'away.example' },
      versions: [{ version: 'v1', freshness: 'Stale', resources: [resource('Ghost', ['list'])] }],
    },
  ],
}

t.test('CO-83 groups whose server is away and kinds that are none are left out', async t => {
  const server = await scriptedServer(t, ({ path }, answer) => {
    const items = documents[path]
    if (items) json(answer, 200, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items })
    else json(answer, 404, status(404, 'NotFound'))
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  t.strictSame(await servedKinds(client), [
    { apiVersion: 'v1', group: '', kind: 'Pod', isPreferred: true, isListable: true },
    { apiVersion: 'shops.example/v2', group: 'shops.example', kind: 'Shop', isPreferred: true, isListable: false },
    { apiVersion: 'shops.example/v1', group: 'shops.example', kind: 'Shop', isPreferred: false, isListable: true },
  ])
  t.strictSame(server.asked.map(({ path }) => path).sort(), ['/api', '/apis'])
})
