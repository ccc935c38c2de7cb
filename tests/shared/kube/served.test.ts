// What an API server serves, as it tells in one document for all groups.
import t from 'tap'
import { createClient } from '../../../shared/kube/client/client.ts'
import { ApiError, ConnectionError } from '../../../shared/kube/errors.ts'
import { servedKinds, serverVersion } from '../../../shared/kube/served-kinds.ts'
import { rejects } from '../../harness/matches.ts'
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

t.test('CO-83 groups whose server is away, and resources without a kind, are left out', async t => {
  const server = await scriptedServer(t, ({ path }, answer) => {
    const items = documents[path]
    if (items) json(answer, 200, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items })
    else json(answer, 404, status(404, 'NotFound'))
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  t.strictSame(await servedKinds(client), [
    { apiVersion: 'v1', group: '', kind: 'Pod', plural: 'pods', isListable: true },
    { apiVersion: 'shops.example/v2', group: 'shops.example', kind: 'Shop', plural: 'shops', isListable: false },
    { apiVersion: 'shops.example/v1', group: 'shops.example', kind: 'Shop', plural: 'shops', isListable: true },
  ])
  t.strictSame(server.asked.map(({ path }) => path).sort(), ['/api', '/apis'])
})

t.test(
  "CO-83 some of a cluster's API servers are too old for aggregated discovery: all kinds are found all the same",
  async t => {
    const plain = (groupVersion: string, kind: string) => ({
      kind: 'APIResourceList',
      groupVersion,
      resources: [{ name: `${kind.toLowerCase()}s`, kind, verbs: ['get', 'list'] }],
    })
    const old: Record<string, object> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [{ name: 'shops.example', versions: [{ groupVersion: 'shops.example/v2' }] }],
      },
      '/api/v1': plain('v1', 'Pod'),
      '/apis/shops.example/v2': plain('shops.example/v2', 'Shop'),
    }
    for (const told of ['/api', '/apis']) {
      const server = await scriptedServer(t, ({ path }, answer) => {
        const items = path === told && documents[path]
        json(
          answer,
          200,
          items ? { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items } : old[path],
        )
      })
      const client = createClient(server.access)
      t.teardown(client.close)
      const kinds = (await servedKinds(client)).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
      t.ok(kinds.includes('v1 Pod'), `the core, where only ${told} is new`)
      t.ok(kinds.includes('shops.example/v2 Shop'), `the groups, where only ${told} is new`)
    }
  },
)

t.test('CO-68 CO-83 an API server that fails for a moment: its kinds count neither as gone nor as away', async t => {
  const server = await scriptedServer(t, (_, answer) => json(answer, 404, status(404, 'NotFound')))
  const client = createClient(server.access)
  t.teardown(client.close)
  const group = { name: 'shops.example', versions: [{ groupVersion: 'shops.example/v1' }] }
  const troubledBy = (error: Error) => ({
    ...client,
    raw: async ({ path }: { path: string }) => {
      if (path === '/apis/shops.example') return group
      throw error
    },
  })
  const failing = (code: number) => new ApiError({ code, reason: '', message: `answer ${code}` })
  const overloaded = troubledBy(failing(429))
  await rejects(t, servedKinds(overloaded, 'shops.example'), { code: 429 })
  const lost = troubledBy(new ConnectionError('lost', 'ECONNRESET', 'the connection ended'))
  await rejects(t, servedKinds(lost, 'shops.example'), { name: 'ConnectionError' })
  t.strictSame(await servedKinds(troubledBy(failing(503)), 'shops.example'), [], 'the server behind it is away')
})

t.test('RE-54 what names group, version or kind by no text is left out, and all else is found', async t => {
  const odd = { toString: 1 }
  const good = {
    metadata: { name: 'shops.example' },
    versions: [{ version: 'v1', resources: [resource('Shop', ['list'])] }],
  }
  const listed = { name: 'shops', kind: 'Shop', verbs: ['list'] }
  const version = { groupVersion: 'shops.example/v1' }
  const group = { name: 'shops.example', versions: [version] }
  const aggregated = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', items })
  const plain = (groups: object[], resources: object[]) => ({
    '/apis': { groups },
    '/apis/shops.example/v1': { resources },
  })
  const cases: Record<string, object>[] = [
    { '/apis': aggregated({ ...good, metadata: { name: odd } }, good) },
    { '/apis': aggregated({ ...good, versions: [{ ...good.versions[0], version: odd }, ...good.versions] }) },
    {
      '/apis': aggregated({
        ...good,
        versions: [{ version: 'v1', resources: [{ responseKind: { kind: odd } }, resource('Shop', ['list'])] }],
      }),
    },
    plain([{ ...group, name: odd }, group], [listed]),
    plain([{ ...group, versions: [{ groupVersion: odd }, version] }], [listed]),
    plain([group], [{ ...listed, name: odd }, { ...listed, kind: odd }, listed]),
  ]
  for (const told of cases) {
    const server = await scriptedServer(t, ({ path }, answer) =>
      json(answer, 200, told[path] ?? (path === '/version' ? { gitVersion: odd } : {})),
    )
    const client = createClient(server.access)
    t.teardown(client.close)
    const shop = {
      apiVersion: 'shops.example/v1',
      group: 'shops.example',
      kind: 'Shop',
      plural: 'shops',
      isListable: true,
    }
    t.strictSame(await servedKinds(client), [shop], JSON.stringify(told))
    t.equal(await serverVersion(client), '')
  }
})
