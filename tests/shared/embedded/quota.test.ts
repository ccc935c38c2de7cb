// ResourceQuotas under load; what they count and say is recorded from the real API server in tests/conformance/cases/FN-137.yaml.
import t from 'tap'
import { builtinKinds } from '../../../shared/embedded/kinds/builtin.ts'
import { chargeQuotas } from '../../../shared/embedded/quota/charge.ts'
import { Store } from '../../../shared/embedded/storage/store.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { throws } from '../../harness/matches.ts'

t.test('FN-137 of many creates at once no more pass than the quota allows', async t => {
  const { api, namespace, embedded } = await anyCluster(t)
  const place = `/api/v1/namespaces/${namespace}`
  const quota = { metadata: { name: 'q' }, spec: { hard: { secrets: '5' } } }
  await api.call('POST', `${place}/resourcequotas`, { body: quota })
  await embedded?.settled()
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const create = (name: string) => api.call('POST', `${place}/secrets`, { body: { metadata: { name } } })
  const replies = await Promise.all(names.map(create))
  t.equal(replies.filter(({ status }) => status === 201).length, 5)
  t.equal(replies.filter(({ status }) => status === 403).length, 15)
  await create('s0')
  await embedded?.settled()
  const { body } = await api.call('GET', `${place}/resourcequotas/q`)
  t.strictSame(body.status, { hard: { secrets: '5' }, used: { secrets: '5' } })
})

t.test('FN-137 a create is charged before its object is stored', t => {
  const store = new Store(10)
  const status = { hard: { secrets: '1' }, used: { secrets: '0' } }
  store.write('resourcequotas', 'n/q', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'n' },
    status,
  })
  const kind = builtinKinds.find(({ collection }) => collection === 'secrets')
  const create = (name: string, isDryRun: boolean) => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'n' } }
    const user = { name: 'u', groups: [] }
    const place = { namespace: 'n', name, subresource: '', user, isDryRun, warnings: new Set<string>() }
    if (kind) chargeQuotas({ ...place, operation: 'CREATE', kind, object }, { store })
  }
  create('a', true)
  create('b', false)
  throws(t, () => create('c', false), {
    code: 403,
    message: /exceeded quota: q, requested: secrets=1, used: secrets=1/,
  })
  t.end()
})
