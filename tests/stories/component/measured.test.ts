// What calls for Components measure: passes, requests, dependents, errors and drift.
import t from 'tap'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { componentGround } from '../../harness/component/component-ground.ts'
import { later } from '../../harness/component/orchards.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { componentKind, configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const controller = 'component.core.espalier.dev'

/** The sums since the start, by metric and the labels beside `controller`. */
const measuring = () => {
  const sums: Record<string, number> = {}
  const measure = (measurements: readonly Measurement[]): void => {
    for (const { metric, labels, ...change } of measurements) {
      const { controller: by, ...rest } = labels ?? {}
      t.equal(by, controller)
      const name = [metric.replace('component_operator_runtime_', ''), ...Object.values(rest)].join(' ')
      sums[name] = (sums[name] ?? 0) + ('add' in change ? change.add : Number.NaN)
    }
  }
  return { sums, measure }
}

t.test('SEE-15 passes, requests, and what was done with dependents are counted', async t => {
  const { sums, measure } = measuring()
  await ground.create('counted', { source: { manifests: [configMap('one'), configMap('two')] } })
  await ground.settle('counted', { measure })
  matches(t, sums, { 'operations_total create': 2, 'requests_total GET': Number, 'requests_total POST': Number })
  t.ok((sums.reconcile_total ?? 0) > 1, 'a call makes several passes')
  t.equal(sums['operations_total update'], undefined)
  await ground.change('counted', { spec: { source: { manifests: [configMap('one', { key: 'other' })] } } })
  await ground.settle('counted', { measure, ...later(60) })
  matches(t, sums, { 'operations_total create': 2, 'operations_total update': 1, 'operations_total delete': 1 })
  t.ok((sums['operations_total read'] ?? 0) >= 2)
  t.notOk(Object.keys(sums).some(name => /error|drift/.test(name)))
})

t.test('SEE-15 an error is counted once in a pass, under its HTTP code or as other', async t => {
  const errors = async (name: string, spec: Partial<ComponentSpec>) => {
    const { sums, measure } = measuring()
    await ground.create(name, spec)
    await ground.settle(name, { measure })
    return Object.entries(sums).filter(([name]) => name.includes('error'))
  }
  const refused = (name: string): KubeObject => ({
    ...componentKind,
    metadata: { name },
    spec: { source: { manifests: [] }, valuesFrom: [{ kind: 'Secret', name: 'x' }] },
  })
  t.strictSame(await errors('refused', { source: { manifests: [refused('one'), refused('two')] } }), [
    ['reconcile_errors_total 422', 1],
  ])
  const foreign = { source: { manifests: [configMap('two')] } }
  await ground.create('owner', foreign)
  await ground.settle('owner')
  t.strictSame(await errors('rival', foreign), [['reconcile_errors_total other', 1]], 'the object of another Component')
  await ground.put(configMap('broken', { 'Chart.yaml': '{' }))
  const broken = { source: { helm: { configMapRef: { name: 'broken' } } } }
  t.strictSame(await errors('broken', broken), [['reconcile_errors_total other', 1]])
  const missing = { source: { helm: { configMapRef: { name: 'missing' } } } }
  t.strictSame(await errors('missing', missing), [], 'a reference that is missing is no error')
})

t.test('SEE-15 an API server that does not answer ends the pass, and counts', async t => {
  const { sums, measure } = measuring()
  await ground.create('lost', {})
  const trouble = new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'later' })
  const client = altered(ground.client, real => ({
    get: async (ref, options) => (ref.kind === 'Component' ? real.get(ref, options) : Promise.reject(trouble)),
    list: () => Promise.reject(trouble),
  }))
  await rejects(t, ground.settle('lost', { measure, clusters: oneCluster(client) }), { code: 503 })
  matches(t, sums, { reconcile_total: 2, 'reconcile_errors_total 503': 1 })
})

t.test('SEE-18 drift that is put right is counted by kind, also without Events', async t => {
  const { sums, measure } = measuring()
  const [kept, lost] = [configMap('kept'), configMap('lost')]
  await ground.create('drifting', { source: { manifests: [kept, lost] } })
  await ground.settle('drifting', { measure })
  await ground.change('drifting', { metadata: { annotations: { [`${controller}/disable-events`]: 'true' } } })
  await ground.settle('drifting', { measure, ...later(30) })
  t.equal(sums['espalier_drift_corrected_total ConfigMap'], undefined)
  await ground.put(configMap('kept', { key: 'changed' }))
  await ground.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ground.namespace, name: 'lost' }, {})
  await ground.settle('drifting', { measure, ...later(90) })
  t.equal(sums['espalier_drift_corrected_total ConfigMap'], 2)
})
