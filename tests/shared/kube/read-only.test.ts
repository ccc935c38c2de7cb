// Clients that can only read.
import t from 'tap'
import type { CallBounds, Client, RawRequest } from '../../../shared/kube/client-types.ts'
import { readOnly, readOnlyClusters, writable, writableClusters } from '../../../shared/kube/clusters/read-only.ts'
import { matches, throws } from '../../harness/matches.ts'

const asked: RawRequest[] = []

const clientBound = (call: CallBounds = {}): Client =>
  ({
    get: async () => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: call.impersonate?.user ?? 'nobody' } }),
    delete: async () => true,
    watch: () => {},
    raw: async (request: RawRequest) => void asked.push(request),
    bound: clientBound,
    reachedBy: 'digest',
    close: async () => {},
  }) as unknown as Client

const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'any' }

t.test('FN-205 a client of gather has no writes, bound or not, and raw requests are GETs', async t => {
  const client = clientBound()
  const reader = readOnly(client)
  const bound = reader.bound({ impersonate: { user: 'ann', groups: [] } })
  for (const one of [reader, bound])
    for (const verb of ['create', 'apply', 'replace', 'patch', 'delete', 'watch', 'close']) t.notOk(verb in one, verb)
  matches(t, await bound.get(secret), { metadata: { name: 'ann' } })
  await reader.raw({ method: 'DELETE', path: '/api/v1/namespaces/shop' } as unknown as Parameters<typeof reader.raw>[0])
  matches(t, asked, [{ method: 'GET', path: '/api/v1/namespaces/shop' }])
  t.equal(reader.reachedBy, 'digest')
  t.equal(readOnly(client), reader, 'one for each client')
})

t.test('FN-205 steps get the writes of a client back that could only read', async t => {
  const client = clientBound()
  t.equal(writable(readOnly(client)), client)
  const reading = readOnlyClusters({ of: async () => client })
  t.notOk('delete' in (await reading.of('local')))
  t.equal(await writableClusters(reading).of('local'), client)
  const found = readOnly(client)
  throws(t, () => writable({ ...found }), { message: 'this client is read-only' })
})
